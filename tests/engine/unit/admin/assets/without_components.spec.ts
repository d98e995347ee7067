import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { adminAssets, UNUSED_COMPONENTS } from '#admin/assets/admin_assets'
import { withoutComponents } from '#admin/assets/without_components'
import { AssetStore } from '#crud/http/asset_store'

test.group('Components left out of a stylesheet', () => {
  test('only rules and selectors of these components are left out')
    .with([
      { css: '.card{color:red}.drawer{color:blue}', left: '.card{color:red}' },
      { css: '.card,.drawer>*,.drawer::backdrop{top:0}', left: '.card{top:0}' },
      { css: '.drawers{top:0}.my-drawer{top:0}', left: '.drawers{top:0}.my-drawer{top:0}' },
      { css: '.drawer .card{top:0}.card .drawer{top:0}', left: '' },
      { css: '.card:not(.drawer,.x){top:0}', left: '.card:not(.drawer,.x){top:0}' },
      {
        css: '@layer a{.drawer{top:0}}@media print{.drawer{top:0}p{top:0}}',
        left: '@media print{p{top:0}}',
      },
      {
        css: '@import "x;y{";p{content:"}.drawer{"}',
        left: '@import "x;y{";p{content:"}.drawer{"}',
      },
      { css: '@keyframes a{from{top:0}to{top:1px}}', left: '@keyframes a{from{top:0}to{top:1px}}' },
      {
        css: '.w-1\\.5,.h\\:x{background:url(data:a;b,c)}',
        left: '.w-1\\.5,.h\\:x{background:url(data:a;b,c)}',
      },
      { css: '.tabs-list{top:0}.tab{.drawer &{top:0}}', left: '.tab{.drawer &{top:0}}' },
    ])
    .run(({ assert }, { css, left }) => {
      assert.equal(withoutComponents(css, ['drawer', 'tabs*']), left)
    })

  test('no page or script of the site uses a component that is left out', async ({ assert }) => {
    const names = UNUSED_COMPONENTS.map((name) => name.replace('*', ''))
    const used = new RegExp(`(?<![\\w-])(?:${names.join('|')})(?![\\w])`)
    const folders = ['resources/views', 'resources/assets', 'app/admin']
    for (const folder of folders.map((one) => app.makePath(one))) {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      for (const file of files.filter((one) => /\.(?:edge|js|css|ts)$/.test(one))) {
        if (file.endsWith('admin_assets.ts')) continue
        assert.notMatch(readFileSync(join(folder, file), 'utf8'), used, file)
      }
    }
  })

  test('the library stays as it is, letter by letter, where it has none of them', ({ assert }) => {
    const css = readFileSync(
      app.makePath('node_modules/basecoat-css/dist/basecoat.cdn.min.css'),
      'utf8'
    )
    assert.isTrue(withoutComponents(css, ['no-such-component']) === css)
  })

  test('the stylesheet of the site keeps all else', async ({ assert }) => {
    const store = await AssetStore.load(adminAssets)
    const css = store.find(store.url('admin.css'))!.body.toString()
    assert.equal(css.split('{').length, css.split('}').length)
    assert.notMatch(css, /\.(?:drawer|avatar|accordion)\s*\{/)
    for (const kept of ['.btn', '.card', '.table', '.select', '.dropdown-menu', '.list-scroll']) {
      assert.include(css, kept)
    }
  })
})
