import type { HttpContext } from '@adonisjs/core/http'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { NextFn } from '@adonisjs/core/types/http'
import { adminActor } from '../identity/admin_actor.js'
import type { ModelView } from '../views/model_view.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { may } from '../permissions/may.js'
import { guardOf } from '../identity/admin_guard.js'
import { inUploadFolder, readMultipart } from '../http/read_body.js'

/**
 * Returns true if records of the model can be imported at all: it can be viewed, and created or updated. The
 * admin's own models are not imported. [D3, B14]
 */
export function isImportable(view: ModelView): boolean {
  return !view.adminModel && view.may('view') && (view.may('create') || view.may('update'))
}

/**
 * Returns true if the signed-in user may import records: with the permission for it, and that to create or to
 * update them. [D3, U2]
 */
export async function mayImport(ctx: HttpContext, { base }: ModelView): Promise<boolean> {
  const { adminSite, name } = base
  if (!adminSite || !isImportable(base) || !guardOf(ctx).signedIn) return false
  const { permissions } = adminSite
  if (!(await permissions.mayDo(adminActor(ctx), name, 'import'))) return false
  return (
    (await may(ctx, base, 'view')) &&
    ((await may(ctx, base, 'create')) || (await may(ctx, base, 'update')))
  )
}

/**
 * @throws PageNotFound  for a model without an import, such as a database view
 * @throws NotAllowed    without the permission
 */
export async function assertImport(ctx: HttpContext, view: ModelView): Promise<void> {
  if (!isImportable(view.base)) throw new PageNotFound()
  if (!(await mayImport(ctx, view))) throw new NotAllowed()
}

/** Maximum bytes of a file that is imported in the site */
export const MOST_BYTES = 100 * 1024 * 1024

/** Maximum stored files of a person. With one more, the oldest that no job uses is removed */
export const STORED_MAX = 10

/** The reason why an upload is not a file to import; below `import.upload.` in the catalogue */
export type UploadError = 'none' | 'several' | 'empty' | 'tooLarge' | 'broken'

const ERRORS = new WeakMap<HttpContext, UploadError>()

/**
 * Guard of a model's import: nothing is read of an upload that is not allowed. [U4]
 */
export function importGuard(view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    await assertImport(ctx, view)
    await next()
  }
}

/**
 * Writes the uploaded file to a folder that is removed at the end of the request, as it comes. The page
 * reports errors of the upload. [D3]
 */
export async function readUpload(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!ctx.request.is(['multipart'])) return await next()
  await inUploadFolder(async (folder) => {
    try {
      await readMultipart(ctx, folder, MOST_BYTES)
    } catch (error) {
      const { status } = error as { status?: number }
      if (status !== 400 && status !== 413) throw error
      ERRORS.set(ctx, status === 413 ? 'tooLarge' : 'broken')
    }
    await next()
  })
}

/**
 * The file of a request that `readUpload` has read.
 */
export function uploadIn(ctx: HttpContext): MultipartFile | UploadError {
  const error = ERRORS.get(ctx)
  if (error) return error
  const files = ctx.request.is(['multipart']) ? Object.values(ctx.request.allFiles()).flat() : []
  if (files.length !== 1) return files.length === 0 ? 'none' : 'several'
  const [file] = files as MultipartFile[]
  if (!file.tmpPath || file.clientName === '') return 'none'
  return file.size === 0 ? 'empty' : file
}
