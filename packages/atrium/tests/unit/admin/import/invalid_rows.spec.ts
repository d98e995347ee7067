import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '@japa/runner'
import type { AdminSite } from '#admin'
import { writeInvalidRows } from '#admin/import/invalid_rows'
import type AdminImport from '#admin/models/admin_import'
import { inspectFile } from '#admin/sheets/inspect_file'

const ROWS = 3000
const site = { text: () => 'Why' } as unknown as AdminSite

/** Files below a folder that this process has open; empty where the system does not tell. */
async function openBelow(folder: string): Promise<string[]> {
  const handles = await readdir('/proc/self/fd').catch(() => [])
  const paths = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => ''))
  )
  return paths.filter((path) => path.startsWith(folder))
}

test.group('Import | files of invalid rows', (group) => {
  let folder: string
  let paths: { file: string; errors: string }
  let one: AdminImport

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-faulty-'))
    paths = { file: join(folder, 'rows.csv'), errors: join(folder, 'faults') }
    const rows = Array.from({ length: ROWS }, (_, index) => `${index},${'x'.repeat(500)}\n`)
    await writeFile(paths.file, ['number,text\n', ...rows].join(''))
    const errors = rows.map((_, index) =>
      JSON.stringify({ line: index + 2, field: null, message: `no ${index}` })
    )
    await writeFile(paths.errors, `${errors.join('\n')}\n`)
    one = { shape: await inspectFile(paths.file, 'rows.csv') } as AdminImport
    return () => rm(folder, { recursive: true })
  })

  test('[D3] each invalid row is written with its reason, and both files are closed', async ({
    assert,
  }) => {
    const output = new PassThrough()
    const [content] = await Promise.all([
      text(output),
      writeInvalidRows(site, one, [], paths, output),
    ])
    const lines = content.split('\r\n')
    assert.equal(lines[0], 'number,text,Why')
    assert.match(lines[ROWS], /^2999,x+,no 2999$/)
    assert.lengthOf(lines, ROWS + 2)
    assert.isEmpty(await openBelow(folder))
  })

  test('[D3] both files are closed if the client disconnects before the end', async ({
    assert,
  }) => {
    const output = new PassThrough()
    output.once('data', () => output.destroy())
    await assert.rejects(() => writeInvalidRows(site, one, [], paths, output))
    for (let tries = 0; tries < 100; tries++) {
      const left = await openBelow(folder)
      if (left.length === 0) return
      await sleep(10)
    }
    assert.isEmpty(await openBelow(folder))
  })
})
