import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { ExportRefused, NotAllowed } from '../errors.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import type { FileFormat } from '../sheets/file_format.js'

/* The last row of a sheet is the 1,048,576th; the first one is the heading. */
const MOST_ROWS_OF_SHEET = 1_048_575

/**
 * Returns true if the signed-in user may have formulas as they are: those who can also import into the model, as such a
 * file is for programs, and to be read again. [D2]
 */
export async function mayHaveRaw(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<boolean> {
  const { actor } = view.callOptions(ctx)
  return await site.permissions.mayDo(actor, view.name, 'import')
}

/**
 * @param view  as the roles of the user leave it
 * @throws NotAllowed     for who cannot export the model
 * @throws ExportRefused  for who cannot have formulas as they are
 */
export async function checkMayExport(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  raw: boolean
): Promise<void> {
  if (!(await may(ctx, view, 'export'))) throw new NotAllowed()
  if (raw && !(await mayHaveRaw(ctx, site, view))) throw new ExportRefused('export.fault.raw')
}

/**
 * @param count  null if it is not known
 * @throws ExportRefused  for more records than the format takes
 */
export function checkFits(format: FileFormat, count: number | null): void {
  if (format !== 'xlsx' || (count ?? 0) <= MOST_ROWS_OF_SHEET) return
  throw new ExportRefused('export.fault.rows', { count, most: MOST_ROWS_OF_SHEET })
}
