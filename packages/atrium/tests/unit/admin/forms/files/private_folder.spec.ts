import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from '@japa/runner'
import { PrivateFolder } from '#admin'
import { its } from '#tests/helpers/its'

test.group('PrivateFolder', (group) => {
  let root: string
  let disk: PrivateFolder

  group.each.setup(async () => {
    root = await mkdtemp(join(tmpdir(), 'atrium-private-folder-'))
    disk = new PrivateFolder(root)
    return () => rm(root, { recursive: true })
  })

  test('[B17] a stored text can be read as text and as bytes, and its size is known', async ({
    assert,
  }) => {
    await disk.put('notes/one', 'größer')
    assert.equal(await disk.get('notes/one'), 'größer')
    assert.equal(String(await disk.getBytes('notes/one')), String(Buffer.from('größer')))
    assert.equal(await its(disk.getMetaData('notes/one'), 'contentLength'), 8)
    const file = await stat(join(root, 'notes/one'))
    const folder = await stat(join(root, 'notes'))
    assert.deepEqual([file.mode & 0o777, folder.mode & 0o777], [0o600, 0o700])
  })

  test('[B17] a write to the folder that fails halfway leaves the file unchanged', async ({
    assert,
  }) => {
    await disk.put('notes/one', 'before')
    const broken = Readable.from(
      (function* () {
        yield 'after'
        throw new Error('broken')
      })()
    )
    await assert.rejects(() => disk.putStream('notes/one', broken), 'broken')
    assert.equal(await disk.get('notes/one'), 'before')
    assert.deepEqual(await readdir(join(root, 'notes')), ['one'])
  })

  test('[B17] a file of the server is moved, from this file system or another', async ({
    assert,
    cleanup,
  }) => {
    for (const parent of [tmpdir(), '/dev/shm']) {
      const other = await mkdtemp(join(parent, 'atrium-taken-')).catch(() => null)
      if (other === null) continue
      cleanup(() => rm(other, { recursive: true }))
      await writeFile(join(other, 'file'), parent, { mode: 0o600 })
      await disk.take('notes/one', join(other, 'file'))
      assert.equal(await disk.get('notes/one'), parent)
      assert.deepEqual(await readdir(other), [])
      assert.deepEqual(await readdir(join(root, 'notes')), ['one'])
      const { mode } = await stat(join(root, 'notes/one'))
      assert.equal(mode & 0o777, 0o600)
    }
    await assert.rejects(() => disk.take('notes/two', join(root, 'missing')), /ENOENT/)
    assert.deepEqual(await readdir(join(root, 'notes')), ['one'])
  })

  test('[B17] links are not followed, and links and folders are treated as missing files', async ({
    assert,
  }) => {
    await writeFile(join(root, 'secret'), 'secret')
    await symlink(join(root, 'secret'), join(root, 'link'))
    await mkdir(join(root, 'folder'))
    for (const key of ['link', 'folder', 'missing']) {
      assert.isFalse(await disk.exists(key), key)
      await assert.rejects(() => disk.getMetaData(key))
      await assert.rejects(() => disk.get(key))
      await assert.rejects(() => disk.getBytes(key))
    }
    assert.isTrue(await disk.exists('secret'))
  })
})
