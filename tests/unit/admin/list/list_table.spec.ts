import { test } from '@japa/runner'
import { Reel } from '#tests/fixtures/shop'
import type { AdminViewOptions } from '#admin'
import { ListColumn } from '#admin'
import { ListTable } from '#admin/list/list_table'
import { ModelView } from '#admin/model_view'
import { adminSite } from '#tests/helpers/admin'

class Length extends ListColumn {
  readonly name = 'length'
  readonly label = 'Length'
  value(item: Record<string, unknown>) {
    return `${item.running_time_min} minutes`
  }
}

/** What a list of reels reads of each, by wire name; undefined for all that answers show. */
async function fieldsRead(options: AdminViewOptions): Promise<string[] | undefined> {
  const site = await adminSite()
  const view = new ModelView({
    model: Reel,
    databaseConfig: site.models.get('Reel')!.databaseConfig,
    ...options,
  })
  await view.resource.load()
  const fields = new ListTable(site, view).fields
  return fields?.columns.map(({ wire }) => wire)
}

test.group('ListTable | what is read of the records', () => {
  test('[S27] what it shows, and what it goes by', async ({ assert }) => {
    assert.sameMembers((await fieldsRead({ listColumns: ['release_date'] }))!, [
      'title',
      'release_date',
    ])
  })

  test('[S19] code of one’s own is given whole records', async ({ assert }) => {
    const listColumns = ['release_date']
    assert.isUndefined(await fieldsRead({ listColumns, title: (item) => `${item.director}` }))
    assert.isUndefined(await fieldsRead({ listColumns: ['release_date', Length] }))
    assert.isUndefined(await fieldsRead({ listColumns, templates: { list: 'reels/list' } }))
  })
})
