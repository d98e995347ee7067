/* Imports of the site, as their pages use them: files, people, trials and runs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { Imports, type ChosenColumns } from '#admin/import/imports'
import { contextOf } from '#admin/jobs/job_run'
import type AdminImport from '#admin/models/admin_import'
import type AdminJob from '#admin/models/admin_job'
import { adminSite } from '#tests/helpers/admin'

/** A context in which the user is signed in, with the permissions that they have now. */
export async function contextFor({ id }: AdminUser): Promise<HttpContext> {
  const origin = { requestId: 'test', ip: '127.0.0.1', userAgent: null, sessionId: null }
  return await contextOf({ id: 0, userId: id, origin } as unknown as AdminJob)
}

export async function imports(): Promise<Imports> {
  return Imports.of(await adminSite())
}

/** Lines of CSV. */
export function csv(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n`
}

/** Writes a file, and does something with its path. */
export async function withFile<Result>(
  name: string,
  content: string | Uint8Array,
  work: (path: string) => Promise<Result>
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'imported-'))
  try {
    const path = join(folder, name)
    await writeFile(path, content)
    return await work(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Begins an import. */
export async function begin(
  user: AdminUser,
  model: string,
  content: string | Uint8Array,
  name = 'rows.csv'
): Promise<AdminImport> {
  const site = await adminSite()
  const ctx = await contextFor(user)
  return await withFile(name, content, (path) =>
    Imports.of(site).begin(ctx, site.models.get(model)!, {
      path,
      name,
      bytes: Buffer.byteLength(content),
    })
  )
}

/** Tries a file with the guessed columns, or with others. */
export async function tried(
  user: AdminUser,
  model: string,
  content: string | Uint8Array,
  { name, ...chosen }: Partial<ChosenColumns> & { name?: string } = {}
): Promise<AdminImport> {
  const one = await begin(user, model, content, name)
  const ctx = await contextFor(user)
  const service = await imports()
  if (Object.keys(chosen).length > 0) {
    const { columns, by } = one.mapping
    await service.setColumns(ctx, one, { columns: { ...columns }, by, key: one.key, ...chosen })
  }
  return await service.startDryRun(ctx, one)
}

/** Starts the run of an import. */
export async function run(
  user: AdminUser,
  one: AdminImport,
  options: { skipInvalid: boolean } = { skipInvalid: false }
): Promise<AdminJob> {
  const service = await imports()
  return await service.startRun(await contextFor(user), one, options)
}

export async function invalidRows(one: AdminImport): Promise<string> {
  const output = new PassThrough()
  const [content] = await Promise.all([
    text(output),
    imports().then((service) => service.invalidRows(one, output)),
  ])
  return content
}

export async function emptyImportTables(): Promise<void> {
  await db.from('admin_imports').delete()
}
