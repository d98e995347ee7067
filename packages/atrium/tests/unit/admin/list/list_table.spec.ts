import { test } from '@japa/runner'
import { Reel } from '#tests/fixtures/shop'
import { type AdminViewOptions, ListColumn } from '#admin'
import { ListTable } from '#admin/list/list_table'
import { ModelView } from '#admin/views/model_view'
import { adminSite } from '#tests/helpers/admin'

class Length extends ListColumn {
  readonly name = 'length'
  readonly label = 'Length'
  value(item: Record<string, unknown>) {
    return `${item.running_time_min} minutes`
  }
}

/** API names of the fields that a list of reels reads; undefined for all visible ones. */
async function fieldsRead(options: AdminViewOptions): Promise<string[] | undefined> {
  const site = await adminSite()
  const view = new ModelView({
    model: Reel,
    databaseConfig: site.models.get('Reel')!.databaseConfig,
    ...options,
  })
  await view.resource.load()
  const fields = new ListTable(site, view).fields
  return fields?.columns.map(({ apiName }) => apiName)
}

test.group('ListTable | fields that are read', () => {
  test('[S27] the list reads only the fields that its table shows or needs', async ({ assert }) => {
    assert.sameMembers((await fieldsRead({ listColumns: ['release_date'] }))!, [
      'title',
      'release_date',
    ])
  })

  test('[S19] custom cells and custom titles receive complete records', async ({ assert }) => {
    const listColumns = ['release_date']
    assert.isUndefined(await fieldsRead({ listColumns, title: (item) => `${item.director}` }))
    assert.isUndefined(await fieldsRead({ listColumns: ['release_date', Length] }))
    assert.isUndefined(await fieldsRead({ listColumns, templates: { list: 'reels/list' } }))
  })
})
