import { chmodSync, existsSync, statSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { MultipartFile } from '@adonisjs/core/bodyparser'
import fc from 'fast-check'
import { ModelView, PrivateFolder } from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { isFileKey } from '#admin/forms/files/file_owners'
import { dropFiles, dropFilesOf, openFile, storeFile } from '#admin/forms/files/file_store'
import { RuntimeError } from '#crud'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { Certificate, Portrait } from '#tests/fixtures/files'
import { useDisk } from '#tests/helpers/disks'

const databaseConfig = new DatabaseConfig()

/** A folder on another disk than the temporary files, if there is one */
const OTHER_DISK = ['/dev/shm', app.makePath()].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(tmpdir()).dev
)

test.group('Stored files', (group) => {
  let folder: string
  let portraits: ModelView
  let certificates: ModelView

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-file-store-'))
    const restore = useDisk(new PrivateFolder(join(folder, 'storage')))
    portraits = new ModelView({
      model: Portrait,
      databaseConfig,
      fields: { scan: { widget: 'file' } },
    })
    certificates = new ModelView({ model: Certificate, databaseConfig })
    return async () => {
      restore()
      await rm(folder, { recursive: true })
    }
  })

  async function upload(clientName: string, content: string | Uint8Array = 'content') {
    const file = new MultipartFile({ fieldName: 'image', clientName, headers: {} }, {})
    file.tmpPath = join(folder, 'upload')
    await writeFile(file.tmpPath, content)
    return file
  }

  async function contentOf(view: ModelView, key: string) {
    const file = await openFile(view, key)
    return file && Buffer.concat(await file.stream.toArray())
  }

  test('[B17] a file is returned unchanged, with its size', async ({ assert }) => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
    const key = await storeFile(portraits, await upload('jo.png', bytes))
    const file = await openFile(portraits, key)
    assert.equal(file!.size, 70_000)
    assert.isTrue(bytes.equals(Buffer.concat(await file!.stream.toArray())))
  })

  test('[B17] each stored file has a new name', async ({ assert }) => {
    const keys = []
    for (let turn = 0; turn < 3; turn++) {
      keys.push(await storeFile(portraits, await upload('../../etc/passwd.png')))
    }
    assert.lengthOf(new Set(keys), 3)
    for (const key of keys) assert.match(key, /^[0-9a-f]{32}\.png$/)
    assert.sameMembers(await readdir(join(folder, 'storage', 'Portrait')), keys)
    assert.deepEqual(await readdir(join(folder, 'storage')), ['Portrait'])
  })

  test("[B17] only a plain extension of the uploaded file's name is part of the stored name")
    .with([
      ['a.PNG', '.png'],
      ['a.tar.gz', '.gz'],
      ['a', ''],
      ['.htaccess', ''],
      ['a.', ''],
      ['a.p/ng', ''],
      ['a.png\0.exe', '.exe'],
      ['a.exe\0', ''],
      ['a.p ng', ''],
      ['a.../../x', ''],
      ['a.ñpng', ''],
      ['a.123456789', ''],
      ['a.12345678', '.12345678'],
      ['a.png\u202E', ''],
      ['.png', ''],
      ['x'.repeat(10_000) + '.png', '.png'],
    ])
    .run(async ({ assert }, [clientName, extension]) => {
      const key = await storeFile(portraits, await upload(clientName))
      assert.equal(key.slice(32), extension)
      assert.isTrue(isFileKey(key))
    })

  test('[B17] no name resolves to a path outside the directory', ({ assert }) => {
    const name = '0'.repeat(32)
    const wrong = [
      '',
      '.',
      '..',
      name.slice(1),
      `${name}0`,
      `${name}.`,
      `${name}.PNG`,
      `${name}.png.exe`,
      `../${name}`,
      `/${name}`,
      `x/${name}`,
      `${name}/..`,
      `${name}\0`,
      `${name}\n`,
      `\n${name}`,
      `${name}.png\n`,
      name.replace('0', 'A'),
      name.replace('0', 'g'),
      `${name}.123456789`,
      7,
      null,
      undefined,
      [name],
      { toString: () => name },
    ]
    for (const key of wrong) assert.isFalse(isFileKey(key), String(key))
    for (const key of [name, `${name}.png`, `${name}.1`]) assert.isTrue(isFileKey(key), key)
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 60 }), (text) => {
        if (isFileKey(text)) assert.match(text, /^[0-9a-f]{32}(\.[a-z0-9]{1,8})?$/)
      })
    )
  })

  test('[B17] an invalid key does not open or remove any file', async ({ assert }) => {
    await mkdir(join(folder, 'storage', 'Portrait'), { recursive: true })
    const outside = join(folder, 'storage', 'secret')
    await writeFile(outside, 'secret')
    await writeFile(join(folder, 'storage', 'Portrait', 'plain'), 'plain')
    for (const key of ['../secret', outside, 'plain', '', '.', '..', '../Portrait/plain']) {
      assert.isUndefined(await openFile(portraits, key), key)
      await dropFiles(portraits, [key])
    }
    assert.equal(await readFile(outside, 'utf8'), 'secret')
    assert.isTrue(existsSync(join(folder, 'storage', 'Portrait', 'plain')))
  })

  test('[B17] a link or a directory whose name looks like a key is not treated as a file', async ({
    assert,
  }) => {
    const storage = join(folder, 'storage', 'Portrait')
    await mkdir(join(storage, '1'.repeat(32)), { recursive: true })
    symlinkSync('/etc/hostname', join(storage, '2'.repeat(32)))
    assert.isUndefined(await openFile(portraits, '1'.repeat(32)))
    assert.isUndefined(await openFile(portraits, '2'.repeat(32)))
  })

  test('[B17] the key of another model’s file is not found', async ({ assert }) => {
    const key = await storeFile(portraits, await upload('jo.png', 'jo'))
    assert.isUndefined(await contentOf(certificates, key))
    await dropFiles(certificates, [key])
    assert.equal(String(await contentOf(portraits, key)), 'jo')
  })

  test('[B17] deleting a file removes it from the disk, and deleting a missing file causes no error', async ({
    assert,
  }) => {
    const key = await storeFile(portraits, await upload('jo.png'))
    await dropFiles(portraits, [key])
    await dropFiles(portraits, [key])
    for (const nothing of [null, undefined, '', 'x', 5]) await dropFiles(portraits, [nothing])
    assert.isUndefined(await openFile(portraits, key))
    assert.deepEqual(await readdir(join(folder, 'storage', 'Portrait')), [])
  })

  test('[B17] a file that a record refers to is not deleted', async ({ assert }) => {
    const key = await storeFile(portraits, await upload('jo.png', 'jo'))
    const record = await Portrait.create({
      title: 'Ada',
      scan: key,
      owner: 'nobody',
      isDeleted: true,
    })
    await dropFiles(portraits, [key])
    assert.equal(String(await contentOf(portraits, key)), 'jo')
    await record.merge({ scan: null, note: key }).save()
    await dropFiles(portraits, [key])
    assert.isUndefined(await openFile(portraits, key))
    await record.delete()
  })

  test('[B17] all files of deleted records are removed', async ({ assert }) => {
    const keys = []
    for (let index = 0; index < 4; index++)
      keys.push(await storeFile(portraits, await upload('a.png')))
    const records = [
      new Portrait().fill({ title: 'a', image: keys[0], scan: keys[1], note: keys[3] }),
      new Portrait().fill({ title: 'b', image: null, scan: keys[2] }),
    ]
    await portraits.resource.load()
    await dropFilesOf(portraits, records)
    assert.deepEqual(await readdir(join(folder, 'storage', 'Portrait')), [keys[3]])
  })

  test('[B17] a stored file is readable only by the user of the process', async ({ assert }) => {
    const file = await upload('jo.png')
    chmodSync(file.tmpPath!, 0o644)
    const key = await storeFile(portraits, file)
    const path = join(folder, 'storage', 'Portrait', key)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(join(folder, 'storage', 'Portrait')).mode & 0o777, 0o700)
  })

  test('[B17] a file on the same disk is moved rather than copied', async ({ assert }) => {
    const file = await upload('jo.png')
    await storeFile(portraits, file)
    assert.isFalse(existsSync(file.tmpPath!))
  })

  test('[B17] a file from another disk is stored completely', async ({ assert }) => {
    const file = await upload('jo.png', 'from elsewhere')
    file.tmpPath = join(OTHER_DISK!, `atrium-${process.pid}`)
    await writeFile(file.tmpPath, 'from elsewhere')
    const key = await storeFile(portraits, file).finally(() => rm(file.tmpPath!, { force: true }))
    assert.equal(String(await contentOf(portraits, key)), 'from elsewhere')
    assert.deepEqual(await readdir(join(folder, 'storage', 'Portrait')), [key])
  }).skip(!OTHER_DISK, 'there is no other disk to write to')

  test('[B17] an upload that was not written to the disk can’t be stored', async ({ assert }) => {
    const file = new MultipartFile({ fieldName: 'image', clientName: 'a.png', headers: {} }, {})
    await assert.rejects(
      () => storeFile(portraits, file),
      RuntimeError as any,
      'Portrait: the file of image is not on the disk'
    )
  })

  test('[B17] a failed store leaves no partial file', async ({ assert }) => {
    const file = await upload('jo.png')
    await rm(file.tmpPath!)
    await assert.rejects(() => storeFile(portraits, file), /ENOENT/)
    assert.deepEqual(await readdir(join(folder, 'storage', 'Portrait')), [])
  })
})
