import type { HttpContext } from '@adonisjs/core/http'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { NextFn } from '@adonisjs/core/types/http'
import { adminActor } from '../identity/admin_actor.js'
import type { ModelView } from '../views/model_view.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { may } from '../permissions/may.js'
import { guardOf } from '../identity/admin_guard.js'
import { inUploadFolder, readMultipart } from '../http/read_body.js'
import { Exception } from '@adonisjs/core/exceptions'

/**
 * Returns true if records of the model can be imported at all: the model can be viewed, and created or updated. The
 * admin site's models cannot be imported.
 */
export function isImportable(view: ModelView): boolean {
  return !view.adminModel && view.may('view') && (view.may('create') || view.may('update'))
}

/**
 * Returns true if the signed-in user is allowed to import records, which requires the permissions to import and to view
 * them, and to create or to update them.
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
 * @throws NotAllowed    for a user without the permission
 */
export async function assertImport(ctx: HttpContext, view: ModelView): Promise<void> {
  if (!isImportable(view.base)) throw new PageNotFound()
  if (!(await mayImport(ctx, view))) throw new NotAllowed()
}

/** Returns true if the signed-in user has uploaded the file of an import. */
export function isOwner(ctx: HttpContext, { userId }: { userId: number }): boolean {
  return userId === guardOf(ctx).signedInOrFail().owner.id
}

/** Maximum size in bytes of a file that is imported in the site */
export const MOST_BYTES = 100 * 1024 * 1024

/** Maximum number of stored files of a user. A further file replaces the oldest one that no job uses */
export const STORED_MAX = 10

/** Reason why an upload cannot be imported; catalogue key below `import.upload.` */
type UploadError = 'none' | 'several' | 'empty' | 'tooLarge' | 'broken'

const ERRORS = new WeakMap<HttpContext, UploadError>()

/** Guard of a model's import, which runs before the upload is read. */
export function importGuard(view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    await assertImport(ctx, view)
    await next()
  }
}

/**
 * Writes the uploaded file to a folder while it arrives. The folder is removed at the end of the request. The page
 * reports errors of the upload.
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

/** Returns the file of a request that `readUpload` has read, or the error of the upload. */
export function uploadIn(ctx: HttpContext): MultipartFile | UploadError {
  const error = ERRORS.get(ctx)
  if (error) return error
  const files = ctx.request.is(['multipart']) ? Object.values(ctx.request.allFiles()).flat() : []
  if (files.length !== 1) return files.length === 0 ? 'none' : 'several'
  const [file] = files as MultipartFile[]
  if (!file.tmpPath || file.clientName === '') return 'none'
  return file.size === 0 ? 'empty' : file
}

/** Thrown for an import that is not possible as requested, with a message of the catalogue. */
export class ImportRefused extends Exception {
  static status = 422
  static code = 'E_IMPORT'

  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key)
  }
}
