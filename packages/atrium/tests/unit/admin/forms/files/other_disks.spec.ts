import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MultipartFile } from '@adonisjs/core/bodyparser'
import { Secret } from '@adonisjs/core/helpers'
import { FSDriver } from '@adonisjs/drive/drivers/fs'
import type { DriverContract } from '@adonisjs/drive/types'
import { test } from '@japa/runner'
import { ModelView, s3Disk } from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { forgetOwner, noteOwner, ownerOf } from '#admin/forms/files/file_owners'
import { dropFiles, openFile, storeFile } from '#admin/forms/files/file_store'
import { Portrait } from '#tests/fixtures/files'
import { useDisk } from '#tests/helpers/disks'
import { S3Server } from '#tests/helpers/s3_server'

/* Optional: an application that uses S3 installs it. */
const hasS3 = ['client-s3', 's3-request-presigner'].every((name) =>
  existsSync(new URL(`../../../../../../../node_modules/@aws-sdk/${name}`, import.meta.url))
)

let folder: string

async function upload(content: string | Uint8Array) {
  const file = new MultipartFile({ fieldName: 'image', clientName: 'jo.png', headers: {} }, {})
  file.tmpPath = join(folder, 'upload')
  await writeFile(file.tmpPath, content)
  return file
}

async function portraitsView() {
  const view = new ModelView({
    model: Portrait,
    databaseConfig: new DatabaseConfig(),
    fields: { scan: { widget: 'file' } },
  })
  await view.resource.load()
  return view
}

async function contentOf(view: ModelView, key: string) {
  const file = await openFile(view, key)
  return file && { size: file.size, bytes: Buffer.concat(await file.stream.toArray()) }
}

const KINDS = ['of Drive’s own', ...(hasS3 ? ['of S3'] : [])]

test.group('Disks other than a private folder', (group) => {
  const s3 = new S3Server()
  let endpoint: string
  let portraits: ModelView

  group.setup(async () => {
    endpoint = await s3.start()
    return () => s3.stop()
  })
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-other-disks-'))
    portraits = await portraitsView()
    return async () => {
      s3.objects.clear()
      s3.failure = undefined
      await rm(folder, { recursive: true })
    }
  })

  async function s3Driver(): Promise<DriverContract> {
    const secretAccessKey = new Secret('secret')
    return await s3Disk({ bucket: 'uploads', endpoint, accessKeyId: 'key', secretAccessKey })()
  }

  const drivesOwn = () => new FSDriver({ location: join(folder, 'disk'), visibility: 'private' })

  async function use(kind: string) {
    return useDisk(kind === 'of S3' ? await s3Driver() : drivesOwn())
  }

  test('[B17] on a disk of the kind {$self}, a file is returned unchanged, and can be removed')
    .with(KINDS)
    .run(async ({ assert, cleanup }, kind) => {
      cleanup(await use(kind))
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
      const key = await storeFile(portraits, await upload(bytes))
      const stored = await contentOf(portraits, key)
      assert.equal(stored!.size, 70_000)
      assert.isTrue(bytes.equals(stored!.bytes))
      assert.isFalse(existsSync(join(folder, 'upload')))

      await dropFiles(portraits, [key])
      await dropFiles(portraits, [key])
      assert.isUndefined(await openFile(portraits, key))
      assert.equal(s3.objects.size, 0)
    })

  test('[B17] on a disk of the kind {$self}, the owner of a file is stored')
    .with(KINDS)
    .run(async ({ assert, cleanup }, kind) => {
      cleanup(await use(kind))
      const key = await storeFile(portraits, await upload('jo'))
      assert.isUndefined(await ownerOf(portraits, key))
      await noteOwner(portraits, key, { key: [7], field: 'image' })
      assert.deepEqual(await ownerOf(portraits, key), { key: [7], field: 'image' })
      await forgetOwner(portraits, key)
      assert.isUndefined(await ownerOf(portraits, key))
    })

  test('[B17] objects in S3 have the same names as files in the folder, and requests are signed', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await use('of S3'))
    const key = await storeFile(portraits, await upload('jo'))
    await noteOwner(portraits, key, { key: [7], field: null })
    assert.sameMembers(
      [...s3.objects.keys()],
      [`/uploads/Portrait/${key}`, `/uploads/.owners/Portrait/${key}`]
    )
    for (const value of s3.authorizations) assert.match(value!, /Credential=key\//)
  }).skip(!hasS3, 'the packages of S3 are not installed')

  test('[B17] if S3 fails, a file is not stored, and an existing one is not treated as missing', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await use('of S3'))
    const key = await storeFile(portraits, await upload('jo'))
    s3.failure = 403
    await assert.rejects(async () => storeFile(portraits, await upload('eve')))
    await assert.rejects(() => openFile(portraits, key))
    await assert.rejects(() => ownerOf(portraits, key))
    s3.failure = undefined
    assert.deepEqual([...s3.objects.keys()], [`/uploads/Portrait/${key}`])
  }).skip(!hasS3, 'the packages of S3 are not installed')
})
