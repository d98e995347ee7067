import { test } from '@japa/runner'
import { guessKey, guessMapping, knownFields, operator } from '#admin/import/import_fields'
import { adminSite } from '#tests/helpers/admin'

async function guessed(columns: string[], samples: string[][] = []) {
  const site = await adminSite()
  const importer = await operator(site.models.get('ImportArticle')!, 'test')
  const fields = await knownFields(site, importer)
  const mapping = guessMapping(fields, { columns, samples })
  return { ...mapping, key: guessKey(importer.view.resource, fields, mapping) }
}

test.group('Import | matching of columns to fields', () => {
  test('[D3] columns of a file are matched to fields by name, label and similar names', async ({
    assert,
  }) => {
    const { columns, key } = await guessed(['SKU', 'Titles', 'Prise', 'active', 'Colour', 'count '])
    assert.deepEqual(columns, ['sku', 'title', 'price', 'active', null, 'count'])
    assert.equal(key, 'sku')
  })

  test("[D3] a reference column is recognized by its relation's name, its name in an export, or its cells", async ({
    assert,
  }) => {
    const byTitle = await guessed(['maker'], [['Acme'], ['7']])
    assert.deepEqual(byTitle, { columns: ['maker_id'], by: { 0: 'title' }, key: null })
    const exported = await guessed(['id', 'maker_id', 'maker_id__title'], [['1', '7', 'Acme']])
    assert.deepEqual(exported, { columns: ['id', 'maker_id', null], by: { 1: 'key' }, key: 'id' })
    const alone = await guessed(['maker_id__title'], [['Acme']])
    assert.deepEqual(alone.by, { 0: 'title' })
  })

  test('[D3] no field is matched to two columns of a file', async ({ assert }) => {
    const { columns } = await guessed(['title', 'Title', 'TITLE'])
    assert.deepEqual(columns, ['title', null, null])
  })
})
