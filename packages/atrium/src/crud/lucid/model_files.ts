import type { ApplicationService } from '@adonisjs/core/types'
import { importFiles, type ApplicationFile } from '#base/application_files'
import { crudConfig } from '../settings.js'

const READ = new WeakMap<ApplicationService, Promise<ApplicationFile[]>>()

/** Imports the files of the application's models, once for all callers. */
export async function modelFiles(app: ApplicationService): Promise<ApplicationFile[]> {
  let files = READ.get(app)
  if (!files) {
    files = importFiles(app.modelsPath(), (path) => !isExcludedModel(path))
    READ.set(app, files)
  }
  return await files
}

/**
 * True if the file is in `excludedModels` of `config/crud.ts`.
 *
 * @param path  path below `app/models`
 */
export function isExcludedModel(path: string): boolean {
  return crudConfig().excludedModels.map(withoutExtension).includes(withoutExtension(path))
}

/** Removes the extension, which is .js in a build, and normalizes the path separator of Windows. */
function withoutExtension(path: string): string {
  return path.replaceAll('\\', '/').replace(/\.[jt]s$/, '')
}
