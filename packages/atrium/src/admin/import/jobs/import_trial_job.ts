import type { AdminSite } from '../../admin_site.js'
import { FileFault, JobFailure } from '../../errors.js'
import { JobKind } from '../../jobs/job_kind.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminJob from '../../models/admin_job.js'
import { keptTrial } from '../kept_trial.js'
import { ImportStore } from '../import_store.js'
import { importInJob } from './import_in_parts.js'

/** Name of the kind */
export const IMPORT_TRIAL_JOB = 'import_trial'

/**
 * The trial of a long file. It writes nothing but its result, so that it begins anew after an interruption. [D3]
 */
export class ImportTrialJob extends JobKind {
  readonly #store = new ImportStore()
  readonly name = IMPORT_TRIAL_JOB
  readonly again = null

  constructor(private readonly site: AdminSite) {
    super()
  }

  titleOf({ payload, model }: AdminJob): string {
    const label = this.site.models.get(model ?? '')?.label ?? model ?? ''
    return this.site.text('import.job.trial', { file: String(payload.file), model: label })
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { one, spec } = await importInJob(this.site, run)
    try {
      const trial = await keptTrial(this.site, spec, one, async (rows) => {
        await run.goOn()
        await run.tell(rows)
      })
      if (!(await this.#store.claim(one, run.job.id, ['trying']))) {
        throw new JobFailure('import.job.superseded')
      }
      one.trial = trial
      one.state = 'tried'
      await this.#store.save(one)
      const { new: created, changed, unchanged, faulty } = trial
      const counts = { new: created, changed, unchanged, faulty }
      return { message: this.site.text('import.job.tried', counts), ...counts }
    } catch (error) {
      if (error instanceof FileFault) throw new JobFailure(error.key, error.data)
      throw error
    }
  }
}
