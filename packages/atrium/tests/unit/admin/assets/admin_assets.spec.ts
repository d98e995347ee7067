import { readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { adminAssets } from '#admin/assets/admin_assets'
import { AssetStore } from '#base/http/asset_store'

test.group('adminAssets', () => {
  test('the compressed assets of a page leave 10 KB of the limit of 60 KB for the page itself', async ({
    assert,
  }) => {
    const store = await AssetStore.load(adminAssets)
    const weights = new Map<string, number>()
    for (const { name } of adminAssets) {
      const { gzip, body } = (await store.find(store.url(name)))!
      weights.set(name, (gzip ?? body).length)
    }
    const ofEveryPage = ['admin.css', 'admin.js', 'icon.svg', 'inter.woff2'].map((name) =>
      weights.get(name)!
    )
    const additional = [...weights.keys()].filter((name) => name.endsWith('.css'))
    const heaviest = additional
      .filter((name) => name !== 'admin.css')
      .map((name) => weights.get(name)!)
    const weight = [...ofEveryPage, Math.max(...heaviest)].reduce((sum, one) => sum + one)

    assert.isBelow(weight, 50 * 1024)
    const ofForms = ['forms.css', 'forms.js', 'roles.css', 'roles.js'].map((name) =>
      weights.get(name)!
    )
    assert.isBelow(
      [...ofEveryPage, ...ofForms].reduce((sum, one) => sum + one),
      60 * 1024
    )
    const { body } = (await store.find(store.url('admin.css')))!
    const styles = body.toString()
    assert.notMatch(styles, /@import|url\(\s*['"]?(https?:)?\/\//)
  })

  test('with reduced motion, animations have no duration', async ({ assert }) => {
    const store = await AssetStore.load(adminAssets)
    const sheets = adminAssets.map(({ name }) => name).filter((name) => name.endsWith('.css'))
    const assets = await Promise.all(sheets.map((name) => store.find(store.url(name))))
    const styles = assets.map((asset) => asset!.body.toString()).join('\n')
    const reduced = /@media \(prefers-reduced-motion: reduce\)\{([^@]*?\})\}/g
    const [ofAll, ofLists] = [...styles.matchAll(reduced)].map(([, rules]) => rules)
    assert.match(
      ofAll,
      /:root\{[^}]*--default-transition-duration:0s;[^}]*scroll-behavior:auto[;}]/
    )
    assert.match(ofLists, /\.list\.htmx-request[^{]*::before\{[^}]*animation:none[;}]/)

    const moving = [...styles.matchAll(/[{;]\s*((?:transition|animation)(?:-duration)?:[^;}]*)/g)]
      .map(([, declaration]) => declaration.replace(/\s+/g, ' '))
      .filter((one) =>
        /\d(ms|s)\b/.test(one.replace(/var\(--default-transition-duration\)( 50ms)?/g, ''))
      )
    assert.deepEqual(moving, ['animation:list-progress 1s 50ms linear infinite backwards'])
  })

  test('the fonts are subsets of Inter with the characters that the stylesheet declares', async ({
    assert,
  }) => {
    const { FONTS, font } = await import(app.makeURL('scripts/font.js').href)
    const styles = await readFile(app.makePath('packages/atrium/assets/admin/admin.css'), 'utf8')
    for (const one of FONTS) {
      const path = app.makePath(`packages/atrium/assets/admin/${one.name}`)
      const committed = await readFile(path)
      const isSame = committed.equals(await font(one))
      assert.isTrue(isSame, `${one.name}: run \`npm run font\``)
      assert.include(styles.replace(/\s+/g, ' '), `unicode-range: ${one.range};`)
    }
    const license = await readFile(
      app.makePath('packages/atrium/assets/admin/inter.LICENSE.txt'),
      'utf8'
    )
    assert.include(license, 'SIL Open Font License')
  })

  test('the styles of components match those of the installed library', async ({ assert }) => {
    const { COMPONENT_CSS, FORM_COMPONENT_CSS, componentCss, formComponentCss } = await import(
      app.makeURL('scripts/component_css.js').href
    )
    const isSame =
      componentCss() === (await readFile(COMPONENT_CSS, 'utf8')) &&
      formComponentCss() === (await readFile(FORM_COMPONENT_CSS, 'utf8'))
    assert.isTrue(isSame, 'run `npm run component-css`')
    /* Alternatives for other components are cut out of a selector, and what is left of it stays. */
    const css: string = componentCss()
    assert.match(css, /\.input\[type=checkbox\][^{}]*:checked:after\{/)
    assert.match(css, /\.select[^{}]*:focus-visible\{/)
    /* Each rule is in one of both; rules that no page uses are left out. */
    const ofForms: string = formComponentCss()
    assert.match(ofForms, /^\.textarea\{|[{}]\.textarea\{/)
    assert.notMatch(css, /\.textarea/)
    assert.match(css, /--primary:/)
    assert.notMatch(css + ofForms, /--(chart-1|sidebar-ring):/)
    assert.notMatch(css, /\.(alert|badge|combobox|dialog|dropdown-menu|field|sidebar)\b/)
  })
})
