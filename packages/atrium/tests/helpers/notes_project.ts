/*
 * A copy of the project with a single model, `Note`, so that tests which start processes do not
 * depend on the project's models.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectCopy } from '#tests/helpers/project_copy'

const MIGRATION = `
  import { BaseSchema } from '@adonisjs/lucid/schema'
  export default class extends BaseSchema {
    async up() {
      this.schema.createTable('notes', (table) => {
        table.increments('id')
        table.string('text', 10).notNullable()
      })
    }
  }`

/** Runs `demo:remove` in the copy, unless the project has no demo any more. */
export async function removeDemo(copy: ProjectCopy): Promise<void> {
  if (!existsSync(join(copy.folder, 'app/models/film.ts'))) return
  const remove = ['ace.js', 'demo:remove', '--force']
  const { status, output } = await copy.run(process.execPath, remove, { NODE_ENV: 'test' })
  if (status !== 0) throw new Error(output)
}

/** Removes models, migrations and seeders from the copy. */
export async function removeModels(copy: ProjectCopy): Promise<void> {
  for (const path of ['app/models', 'database/migrations', 'database/seeders']) {
    await rm(join(copy.folder, path), { recursive: true, force: true })
  }
}

/**
 * Lets the copy hash passwords as cheaply as tests do: a login would otherwise cost half a second of processor
 * time. The processes of demo/jobs.spec.ts and of the docs log in with the costs of production.
 */
export async function hashQuickly(copy: ProjectCopy): Promise<void> {
  const path = join(
    copy.folder,
    'packages/atrium/src/admin/authentication/passwords/password_hash.ts'
  )
  const text = await readFile(path, 'utf8')
  const quick = text.replace('app.inTest ? COST_IN_TESTS', 'app ? COST_IN_TESTS')
  if (quick === text) throw new Error('password_hash.ts chooses its costs in another way')
  await writeFile(path, quick)
}

/**
 * Replaces them by `Note`.
 *
 * @param options  options of its `@Crud`, as code
 */
export async function onlyNotes(copy: ProjectCopy, options = ''): Promise<void> {
  await removeModels(copy)
  await writeNote(copy, options)
}

/**
 * Adds a model `Note` (a key and a `text` of at most 10 characters), with endpoints at `/api/notes` and a view in the
 * admin site.
 *
 * @param options  options of its `@Crud`, as code
 */
export async function writeNote(copy: ProjectCopy, options = ''): Promise<void> {
  await write(
    copy,
    'app/models/note.ts',
    `
  import { BaseModel, column } from '@adonisjs/lucid/orm'
  import { AdminView } from '#admin'
  import { Crud } from '#crud'
  @AdminView()
  @Crud(${options})
  export default class Note extends BaseModel {
    @column({ isPrimary: true }) declare id: number
    @column() declare text: string
  }`
  )
  await write(copy, 'database/migrations/1_create_notes_table.ts', MIGRATION)
}

async function write(copy: ProjectCopy, file: string, text: string) {
  const path = join(copy.folder, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
