import type { AdminSite } from '../admin_site.js'
import { ImportRefused } from '../errors.js'
import type AdminImport from '../models/admin_import.js'
import type { ImportTrial } from '../models/admin_import.js'
import type { ImportSpec } from './import_spec.js'
import { keepPart, withKept } from './kept_file.js'
import { tryRows } from './trial.js'

/**
 * The trial of a kept file; all its errors are kept next to it.
 *
 * @throws FileFault
 * @throws ImportRefused  if the file is gone
 */
export async function keptTrial(
  site: AdminSite,
  spec: ImportSpec,
  { fileKey, shape }: AdminImport,
  told?: (rows: number) => Promise<void>
): Promise<ImportTrial> {
  return await withKept(fileKey, async (pathOf, scratch) => {
    const path = await pathOf('file')
    if (path === null) throw new ImportRefused('import.refused.fileGone')
    const trial = await tryRows(site, spec, { path, shape }, scratch, told)
    await keepPart(fileKey, 'faults', scratch)
    return trial
  })
}
