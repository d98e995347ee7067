import { test } from '@japa/runner'
import { cookiesOf, sendForm } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { upload } from '#tests/helpers/import_forms'
import { csv, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { workbookOf } from '#tests/helpers/zip_file'

const MODEL = 'ImportArticle'

const row = (...cells: string[]) => `<row>${cells.join('')}</row>`
const text = (value: string) => `<c t="str"><v>${value}</v></c>`
const number = (value: string) => `<c><v>${value}</v></c>`

test.group('Admin | import files', (group) => {
  const own = withImports(group)

  /** Uploads a file; how its page reads the import. */
  async function begin(content: string | Uint8Array<ArrayBuffer>, name: string) {
    const cookie = await cookiesOf(own.jo)
    const { location } = await upload(MODEL, { name, content }, { cookie })
    const open = () => get(`${location!}?step=columns`, { headers: { cookie } })
    const reread = (fields: Record<string, string>) =>
      sendForm(`${location!}/reread`, fields, { cookie })
    return { open, reread }
  }

  test('[D3] a cell with an error, or a formula without a result, is an error of its field that names the cell', async ({
    assert,
  }) => {
    const rows = [
      row(text('sku'), text('title'), text('big'), text('note')),
      row(text('a'), text('Lamp'), number('1234567890123456789'), text('x')),
      row(text('b'), '<c t="e"><v>#N/A</v></c>', '<c><f>1+1</f></c>', text('x')),
      row(text('c'), number('1917'), number('5'), number('1.23456789012345E+18')),
    ]
    const { dryRun } = await tried(own.jo, MODEL, workbookOf({ rows: rows.join('') }), {
      name: 'rows.xlsx',
    })

    assert.deepEqual([dryRun!.new, dryRun!.faulty], [1, 2])
    assert.deepEqual(
      dryRun!.faults.map(({ field, line, message }) => [line, field, message.split('.')[0]]),
      [
        [3, 'title', 'Cell B3 has the error #N/A'],
        [3, 'big', 'Cell C3 has a formula without a result'],
        [
          4,
          'note',
          'Cell D4 has a number with more than 15 digits, and spreadsheets store no more',
        ],
      ]
    )
  })

  test('[D3] a number in a file finds the record whose title is that number, also in a JSON file', async ({
    assert,
  }) => {
    const { ImportMaker } = await import('#tests/fixtures/imports')
    const maker = await ImportMaker.create({ name: '1917', branch: 1 })
    const content = JSON.stringify([{ sku: 'a', title: 300, maker_id: 1917 }])
    const one = await tried(own.jo, MODEL, content, { name: 'rows.json', by: { 2: 'title' } })

    assert.deepEqual(one.dryRun!.faults, [])
    const { changes } = one.dryRun!.preview[0]
    assert.deepEqual(
      changes.filter(({ field }) => field !== 'sku').map(({ field, after }) => [field, after]),
      [
        ['title', '300'],
        ['maker_id', maker.id],
      ]
    )
  })

  test('[D3] the page offers the first rows as the heading row, and parses the file again with the selected one', async ({
    assert,
  }) => {
    const content = csv('Stock', 'Date 2026', 'sku,title,price', 'a,Lamp,1', 'b,Bed,2')
    const { open, reread } = await begin(content, 'rows.csv')
    const first = await open()
    const chosen = await reread({ encoding: 'utf-8', delimiter: ',', heading: '2' })
    const second = await open()
    const stored = await reread({ encoding: 'windows-1252', delimiter: ',', heading: '2' })
    const third = await open()
    const wrong = await reread({ heading: '99' })

    assert.include(first.text, 'read from row 3')
    assert.match(first.text, /value="3" selected[^>]*>3: sku · title · price</)
    assert.deepEqual([chosen.status, stored.status, wrong.status], [303, 303, 422])
    assert.match(second.text, /value="2" selected/)
    /* With another encoding the heading is found again. */
    assert.match(third.text, /value="3" selected/)
    assert.include(wrong.text, 'The file has no row 99')
  })

  test('[D3] the page offers the sheets of a workbook and marks hidden ones', async ({
    assert,
  }) => {
    const book = workbookOf({
      rows: row(text('sku'), text('title')) + row(text('a'), text('Lamp')),
      second: row(text('sku'), text('price')) + row(text('b'), number('5')),
      states: ['state="hidden"', ''],
    })
    const { open, reread } = await begin(new Uint8Array(book), 'rows.xlsx')
    const first = await open()
    const chosen = await reread({ sheet: 'A', heading: '1' })
    const second = await open()

    assert.match(first.text, /value="A" [^>]*>A \(hidden\)<\/option>\s*<option value="B" selected/)
    assert.equal(chosen.status, 303)
    assert.include(second.text, 'Lamp')
  })
})
