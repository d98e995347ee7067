import type { ModelView } from '../../model_view.js'
import type { AdminSite } from '../../admin_site.js'
import type AdminImport from '../../models/admin_import.js'

/** The steps that a page can be opened at again */
export const STEPS = ['file', 'columns', 'trial'] as const

type Step = (typeof STEPS)[number]

/**
 * URL of an import's page, from the root of the server.
 *
 * @param step  default: the one that it is at
 */
export function importUrl(view: ModelView, { id }: { id: number }, step?: Step): string {
  return view.url(`/import/${id}${step ? `?step=${step}` : ''}`)
}

/**
 * A step as every page of an import shows it.
 */
export interface ShownStep {
  label: string
  isCurrent: boolean
  /** URL of a step to go to; null for the current one, and for those that are not reached yet */
  url: string | null
}

/**
 * The steps of an import, with a way back to those that are done. [D3]
 *
 * @param one  null before there is a file
 */
export function shownSteps(
  site: AdminSite,
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
    step('trial', one?.trial !== null),
    step('run', false),
  ]
}
