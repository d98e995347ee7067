import app from '@adonisjs/core/services/app'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import logger from '@adonisjs/core/services/logger'
import type { FieldError } from '#base/errors'
import type { ModelView } from '../../model_view.js'
import type { FormField } from '../fields/form_field.js'
import type { ScanFile, ScannedFile } from './scan_file.js'
import { DEFAULT_TYPES, extensionIn, isOfType } from './file_types.js'

/**
 * Checks the type of an uploaded file by name and content, then has it scanned. A scan that fails refuses the file.
 *
 * @returns null for a file that is accepted
 */
export async function checkUpload(
  view: ModelView,
  { name, takesFile }: FormField,
  file: MultipartFile
): Promise<FieldError | null> {
  const path = file.tmpPath
  if (!path) return null
  const extension = extensionIn(file.clientName)
  const own = view.fieldOptions(name).fileTypes ?? (takesFile ? namedBySchema(file) : undefined)
  const allowed = own ?? DEFAULT_TYPES
  if (!allowed.some((one) => one.toLowerCase() === extension)) {
    const types = own ?? ['images', 'PDF', 'office documents', 'texts', 'CSV', 'ZIP']
    return errorOf(name, 'fileType', `must be a file of an allowed type: ${types.join(', ')}`)
  }
  if (!(await isOfType(path, extension))) {
    return errorOf(
      name,
      'fileContent',
      `must be a ${extension} file: its content is of another type`
    )
  }
  const reason = await scan({
    path,
    name: file.clientName,
    size: file.size,
    model: view.name,
    field: name,
  })
  return reason === null ? null : errorOf(name, 'fileScan', reason)
}

/** Extensions of `vine.file({ extnames })`, which its rule has left on the file */
function namedBySchema({ allowedExtensions }: MultipartFile): readonly string[] | undefined {
  return allowedExtensions && allowedExtensions.length > 0 ? allowedExtensions : undefined
}

async function scan(file: ScannedFile): Promise<string | null> {
  const scanFile = app.config.get<ScanFile | undefined>('admin.scanFile')
  if (!scanFile) return null
  try {
    return (await scanFile(file)) || null
  } catch (error) {
    logger.error({ err: error }, `A file of ${file.model} could not be scanned`)
    return 'could not be scanned, so it was not stored: try again later'
  }
}

function errorOf(field: string, rule: string, reason: string): FieldError {
  return { field, rule, message: `The ${field} field ${reason}` }
}
