import { relative } from 'node:path'
import type { ApplicationService } from '@adonisjs/core/types'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { modelFiles } from '../lucid/model_files.js'
import { importPathOf, isReadable } from './reference.js'
import type { RelatedModel } from './table_relation.js'

/** A model in `app/models`. */
export class ApplicationModel implements RelatedModel {
  readonly importPath: string
  readonly table: string

  /** @param path  path of the model's file */
  constructor(
    app: ApplicationService,
    readonly lucid: LucidModel,
    readonly path: string
  ) {
    /* Without this, a class without decorators, such as a mixin of compose(), would have the table of its parent. */
    lucid.boot()
    this.importPath = importPathOf(relative(app.modelsPath(), path))
    this.table = lucid.table
  }

  get model(): string {
    return this.lucid.name
  }

  get keyAttributes(): string[] {
    return [...this.lucid.$columnsDefinitions]
      .filter(([, { isPrimary }]) => isPrimary)
      .map(([attribute]) => attribute)
  }

  get isUnread(): boolean {
    return !isReadable(this.lucid, 'read_multi')
  }

  attributeOf(column: string): string | undefined {
    const name = column.toLowerCase()
    return [...this.lucid.$columnsDefinitions].find(
      ([, { columnName }]) => columnName.toLowerCase() === name
    )?.[0]
  }
}

/** Returns the models of the application on its default connection, each the default export of a file. */
export async function applicationModels(app: ApplicationService): Promise<ApplicationModel[]> {
  const files = await modelFiles(app)
  return files.flatMap((file) => {
    if ('error' in file) return []
    const [model] = file.exported.filter(isModel)
    const connection = model?.connection ?? db.primaryConnectionName
    return model && connection === db.primaryConnectionName
      ? new ApplicationModel(app, model, file.path)
      : []
  })
}

function isModel(exported: unknown): exported is LucidModel {
  return typeof exported === 'function' && '$columnsDefinitions' in exported && 'table' in exported
}
