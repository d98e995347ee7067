import { Writable } from 'node:stream'
import { test } from '@japa/runner'
import { type SheetOptions, sheetWriter } from '#admin/sheets/sheet_writer'
import { type Cell, MOST_COLUMNS, type FileFormat } from '#admin/sheets/file_shape'
import { FileError } from '#admin/jobs/job_errors'

/** An output that keeps what was written. */
function stored() {
  const pieces: Buffer[] = []
  const output = new Writable({
    write(piece, _, done) {
      pieces.push(Buffer.from(piece))
      done()
    },
  })
  return { output, text: () => Buffer.concat(pieces).toString() }
}

async function written(format: FileFormat, rows: Cell[][], options: SheetOptions): Promise<string> {
  const { output, text } = stored()
  const writer = sheetWriter(format, output, options)
  for (const row of rows) await writer.write(row)
  await writer.end()
  return text()
}

const TWO = { columns: ['id', 'title'] }

test.group('Writing tables', () => {
  test('[D2] CSV has CRLF and quotes, and distinguishes null from an empty text', async ({
    assert,
  }) => {
    const rows = [
      [1, 'A "quoted", text'],
      [2, null],
      [3, ''],
      [4, 'two\nlines'],
      [true, { a: [1] }],
    ]

    assert.equal(
      await written('csv', rows, TWO),
      [
        'id,title',
        '1,"A ""quoted"", text"',
        '2,',
        '3,""',
        '4,"two\nlines"',
        'true,"{""a"":[1]}"',
        '',
      ].join('\r\n')
    )
  })

  test('[D2] a byte order mark is written only on request', async ({ assert }) => {
    assert.equal(await written('csv', [], { ...TWO, bom: true }), '\uFEFFid,title\r\n')
    assert.equal(await written('csv', [], TWO), 'id,title\r\n')
  })

  test('[D2] texts and headings that a spreadsheet would execute are prefixed with an apostrophe', async ({
    assert,
  }) => {
    const columns = ['=id', 'title', 'amount']
    const rows = [
      [-5, '-5', '-5'],
      [6, '=1+1', '=1+1'],
      [7, "'@x", '-9007199254740993'],
    ]
    const options = { columns, numeric: new Set([2]) }

    const csv = await written('csv', rows, options)
    assert.deepEqual(csv.split('\r\n'), [
      "'=id,title,amount",
      "-5,'-5,-5",
      "6,'=1+1,'=1+1",
      "7,''@x,-9007199254740993",
      '',
    ])
    assert.include(await written('csv', rows, { ...options, raw: true }), '6,=1+1,=1+1')
  })

  test('[D2] NDJSON and JSON contain the values unchanged, and omit missing ones', async ({
    assert,
  }) => {
    const rows = [
      [1, '=x'],
      [null, undefined],
    ]

    assert.equal(await written('ndjson', rows, TWO), '{"id":1,"title":"=x"}\n{"id":null}\n')
    assert.deepEqual(JSON.parse(await written('json', rows, TWO)), [
      { id: 1, title: '=x' },
      { id: null },
    ])
    assert.deepEqual(JSON.parse(await written('json', [], TWO)), [])
  })

  test('[D2] an error of the output stream is thrown by the next write and by the end', async ({
    assert,
  }) => {
    const output = new Writable({
      write: (_piece, _encoding, done) => done(new Error('The disk is full')),
    })
    const writer = sheetWriter('csv', output, TWO)
    const writeMany = async () => {
      for (let id = 0; id < 100_000; id++) await writer.write([id, 'x'.repeat(100)])
    }

    await assert.rejects(writeMany, 'The disk is full')
    await assert.rejects(() => writer.end(), 'The disk is full')
  })

  test('[D2] writing rows waits while the output stream is full', async ({ assert }) => {
    let taken = 0
    let go: (() => void) | undefined
    const output = new Writable({
      write(_piece, _encoding, done) {
        taken++
        go = done
      },
    })
    const writer = sheetWriter('csv', output, TWO)
    let count = 0
    const writing = (async () => {
      while (count < 20_000) {
        await writer.write([count++, 'x'.repeat(100)])
      }
      await writer.end()
    })()
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    const waitingAt = count

    assert.equal(taken, 1)
    assert.isBelow(waitingAt, 10_000)
    output._write = (_piece, _encoding, done) => done()
    go!()
    await writing
    assert.equal(count, 20_000)
  })

  test('[D2] a sheet with too many columns is refused', async ({ assert }) => {
    const columns = Array.from({ length: MOST_COLUMNS + 1 }, (_, index) => `c${index}`)

    await assert.rejects(async () => await written('xlsx', [], { columns }), FileError)
  })
})
