import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { inUploadFolder, readMultipart } from '../../http/read_body.js'
import type { ModelView } from '../../model_view.js'
import { MOST_BYTES, assertImport } from '../import_limits.js'

/** The reason why an upload is not a file to import; below `import.upload.` in the catalogue */
export type UploadFault = 'none' | 'several' | 'empty' | 'tooLarge' | 'broken'

const FAULTS = new WeakMap<HttpContext, UploadFault>()

/**
 * Guard of a model's import: nothing is read of an upload that nobody may make. [U4]
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
      FAULTS.set(ctx, status === 413 ? 'tooLarge' : 'broken')
    }
    await next()
  })
}

/**
 * The file of a request that `readUpload` has read.
 */
export function uploadIn(ctx: HttpContext): MultipartFile | UploadFault {
  const fault = FAULTS.get(ctx)
  if (fault) return fault
  const files = ctx.request.is(['multipart']) ? Object.values(ctx.request.allFiles()).flat() : []
  if (files.length !== 1) return files.length === 0 ? 'none' : 'several'
  const [file] = files as MultipartFile[]
  if (!file.tmpPath || file.clientName === '') return 'none'
  return file.size === 0 ? 'empty' : file
}
