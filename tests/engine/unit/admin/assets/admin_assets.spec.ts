import { readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { adminAssets } from '#admin/assets/admin_assets'
import { AssetStore } from '#crud/http/asset_store'

test.group('adminAssets', () => {
  test('the assets of a page leave 10 of its 60 KB with gzip', async ({ assert }) => {
    const store = await AssetStore.load(adminAssets)
    const weights = new Map(
      adminAssets.map(({ name }) => [name, store.find(store.url(name))!.gzip.length])
    )
    const ofEveryPage = ['admin.css', 'admin.js', 'icon.svg'].map((name) => weights.get(name)!)
    const additional = [...weights.keys()].filter((name) => name.endsWith('.css'))
    const heaviest = additional
      .filter((name) => name !== 'admin.css')
      .map((name) => weights.get(name)!)
    const weight = [...ofEveryPage, Math.max(...heaviest)].reduce((sum, one) => sum + one)

    assert.isBelow(weight, 50 * 1024)
    const styles = store.find(store.url('admin.css'))!.body.toString()
    assert.notMatch(styles, /@import|url\(\s*['"]?(https?:)?\/\//)
  })

  test('the component styles are those of the library', async ({ assert }) => {
    const { COMPONENT_CSS, componentCss } = await import(
      app.makeURL('scripts/component_css.js').href
    )
    const isSame = componentCss() === (await readFile(COMPONENT_CSS, 'utf8'))
    assert.isTrue(isSame, 'run `npm run component-css`')
  })
})
