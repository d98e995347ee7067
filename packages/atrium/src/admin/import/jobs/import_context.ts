import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { ImportRefused, JobFailure, NotAllowed } from '../../errors.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminImport from '../../models/admin_import.js'
import { ImportStore } from '../import_store.js'
import { importSpec, type ImportSpec } from '../import_spec.js'
import { importerOf } from '../importer.js'

/** An import that a job is at. */
export interface ImportInJob {
  ctx: HttpContext
  one: AdminImport
  spec: ImportSpec
}

/**
 * The import of a job, as its owner may do it now.
 *
 * @throws JobFailure
 * @throws NotAllowed
 */
export async function importInJob(site: AdminSite, run: JobRun): Promise<ImportInJob> {
  const { job } = run
  const ctx = await run.context()
  const one = await new ImportStore().find(Number(job.payload.import))
  if (!one) throw new JobFailure('import.job.gone')
  const view = site.models.get(one.model)
  if (!view) throw new JobFailure('jobs.fault.modelGone', { model: one.model })
  if (!view.admits(ctx)) throw new NotAllowed()
  try {
    const spec = await importSpec(site, await importerOf(ctx, view), one.shape, one)
    return { ctx, one, spec }
  } catch (error) {
    if (error instanceof ImportRefused) throw new JobFailure(error.key, error.data)
    throw error
  }
}
