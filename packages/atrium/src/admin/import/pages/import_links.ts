import { DateTime } from 'luxon'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import type { WithJobs } from '../../jobs/jobs.js'
import type AdminImport from '../../models/admin_import.js'
import type { JobFigure, JobLink } from '../../jobs/job_kind.js'
import type AdminJob from '../../models/admin_job.js'
import { inSentence } from '../../text/plain_text.js'
import { writesInParts } from '../../jobs/part_size.js'

/** Steps whose page can be opened again */
export const STEPS = ['file', 'columns', 'trial'] as const

type Step = (typeof STEPS)[number]

/**
 * Returns the URL of an import's page, from the root of the server.
 *
 * @param step  default: the current step
 */
export function importUrl(view: ModelView, { id }: { id: number }, step?: Step): string {
  return view.url(`/import/${id}${step ? `?step=${step}` : ''}`)
}

/** A step as displayed on every page of an import. */
interface ShownStep {
  label: string
  isCurrent: boolean
  /** URL of the step; null for the current step and for later steps */
  url: string | null
}

/**
 * Returns the steps of an import, with links to the previous ones.
 *
 * @param one  null before a file is uploaded
 */
export function shownSteps(
  site: Site,
  view: ModelView,
  one: AdminImport | null,
  current: Step | 'run'
): ShownStep[] {
  const step = (name: Step | 'run', isReached: boolean): ShownStep => ({
    label: site.text(`import.steps.${name}`),
    isCurrent: name === current,
    url: one && name !== 'run' && name !== current && isReached ? importUrl(view, one, name) : null,
  })
  return [
    step('file', true),
    step('columns', one !== null),
    step('trial', one?.dryRun !== null),
    step('run', false),
  ]
}

/* Counts in the result of a job, each with the last part of its translation key */
const FIGURES = [
  { name: 'created', word: 'new', tone: 'positive' },
  { name: 'changed', word: 'changed', tone: 'positive' },
  { name: 'unchanged', word: 'unchanged' },
  { name: 'skipped', word: 'faulty', tone: 'negative' },
] as const

/** Returns the outcome of an import in numbers, for the page of the job. */
export function importFigures(site: Site, { result }: AdminJob): JobFigure[] {
  if (!result) return []
  return FIGURES.map(({ name, word, ...more }) => ({
    label: site.text(`import.trial.counts.${word}`),
    count: Number(result[name] ?? 0),
    ...more,
  }))
}

/** Returns the links after an import: to the records and the skipped rows, or back to the pages of the import. */
export function importLinks(site: Site, { model, payload, result, state }: AdminJob): JobLink[] {
  const view = site.models.get(model ?? '')
  if (!view) return []
  const url = importUrl(view, { id: Number(payload.import) })
  if (state === 'done') {
    const label = site.text('import.run.open', { plural: inSentence(view.label) })
    const records = { label, url: view.url('/') }
    const until = DateTime.fromISO(String(result?.keptUntil))
    if (!result?.skipped || !(until > DateTime.utc())) return [records]
    return [records, { label: site.text('import.run.leftOut'), url: `${url}/faulty` }]
  }
  return [{ label: site.text('import.run.back'), url }]
}

/** Returns advice after an import that failed or was cancelled. */
export function importAdvice(site: Site, { done, notes, payload }: AdminJob): string | null {
  /* The page already shows what was reverted and what was not. */
  if (notes?.revert) return ''
  if (payload.skipFaulty !== true) return site.text('import.run.advice.whole')
  return site.text(`import.run.advice.${done > 0 ? 'parts' : 'begin'}`)
}

/**
 * Returns a text about the effect of cancelling an import.
 *
 * @returns null if invalid rows are skipped
 */
export function importCancelNote(
  site: Site & WithJobs,
  { model, payload }: AdminJob
): string | null {
  if (payload.skipFaulty === true) return null
  return site.text(`import.run.${writesInParts(site, model) ? 'revertNote' : 'cancelNote'}`)
}

/**
 * Returns a text about what cancelling an import keeps and deletes.
 *
 * @param job  last job that was started for the import
 */
export function discardNote(
  site: Site & WithJobs,
  { state }: AdminImport,
  job: AdminJob | null
): string {
  const hasRows = state === 'running' || (job?.payload.skipFaulty === true && job.done > 0)
  if (!job || !hasRows) return site.text('import.ask.nothing')
  const rows = importCancelNote(site, job) ?? site.text('import.run.partsNote')
  return `${rows} ${site.text('import.ask.file')}`
}
