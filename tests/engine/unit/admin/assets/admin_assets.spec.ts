import { test } from '@japa/runner'
import { adminAssets } from '#admin/assets/admin_assets'
import { AssetStore } from '#crud/http/asset_store'

test.group('adminAssets', () => {
  test("the assets of the site leave 10 of a page's 60 KB with gzip", async ({ assert }) => {
    const store = await AssetStore.load(adminAssets)
    const assets = adminAssets.map(({ name }) => store.find(store.url(name))!)
    const weight = assets.reduce((sum, { gzip }) => sum + gzip.length, 0)

    assert.isBelow(weight, 50 * 1024)
    const styles = store.find(store.url('admin.css'))!.body.toString()
    assert.notMatch(styles, /@import|url\(\s*['"]?(https?:)?\/\//)
  })
})
