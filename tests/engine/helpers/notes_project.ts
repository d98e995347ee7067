/*
 * A copy of the project with a single model, `Note`, so that tests which start processes do not
 * depend on the project's models.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectCopy } from '#tests/engine/helpers/project_copy'

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

/**
 * Removes models, migrations and seeders from the copy.
 */
export async function removeModels(copy: ProjectCopy): Promise<void> {
  for (const path of ['app/models', 'database/migrations', 'database/seeders']) {
    await rm(join(copy.folder, path), { recursive: true, force: true })
  }
}

/**
 * Replaces them by `Note` (a key and a `text` of at most 10 characters), with endpoints at
 * `/api/notes` and a view in the admin site.
 *
 * @param options  options of its `@Crud`, as code
 */
export async function onlyNotes(copy: ProjectCopy, options = ''): Promise<void> {
  await removeModels(copy)
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
