import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { sweepTemporary } from '#admin/import/import_files'
import { begin, csv, imports } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'

const hoursAgo = (hours: number) => Date.now() / 1000 - hours * 3600

test.group('Admin | files of interrupted imports', (group) => {
  const own = withImports(group)

  test('[D3, D1] files without an import are deleted from the disk after an hour, and others stay', async ({
    assert,
  }) => {
    const folder = join(app.config.get<string>('admin.storageDirectory'), '.imports')
    const service = await imports()
    const one = await begin(own.jo, 'ImportArticle', csv('sku,title', 'a,Lamp'))
    const [old, fresh] = ['a', 'b'].map((letter) => letter.repeat(48))
    for (const name of [`${old}.file`, `${old}.faults`, `${fresh}.file`, 'notes.txt']) {
      await writeFile(join(folder, name), 'left')
    }
    const before = hoursAgo(2)
    for (const name of [`${old}.file`, `${old}.faults`, `${one.fileKey}.file`, 'notes.txt']) {
      await utimes(join(folder, name), before, before)
    }
    await service.prune()
    const names = await readdir(folder)
    assert.notIncludeMembers(names, [`${old}.file`])
    assert.notIncludeMembers(names, [`${old}.faults`])
    assert.includeMembers(names, [`${fresh}.file`, `${one.fileKey}.file`, 'notes.txt'])
    for (const name of [`${fresh}.file`, 'notes.txt']) await rm(join(folder, name))
    await service.discard(null as never, one)
  })

  test('[D3, D1] only temporary folders of a killed process are deleted, after a day', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'swept-'))
    try {
      const old = ['atrium-import-abcdef', 'atrium-upload-123-abcdef', 'atrium-export-abcdef']
      const stored = ['atrium-import-ghijkl', 'import-abcdef', 'atrium-import-..']
      for (const name of [...old, ...stored]) await mkdir(join(folder, name))
      await writeFile(join(folder, old[0], 'file'), 'left')
      for (const name of [...old, ...stored.slice(1)]) {
        const before = hoursAgo(25)
        await utimes(join(folder, name), before, before)
      }
      assert.equal(await sweepTemporary(folder), 3)
      assert.sameMembers(await readdir(folder), stored)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
