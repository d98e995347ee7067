import type { ModelView } from '../../model_view.js'

/** The steps that a page can be opened at again */
export const STEPS = ['file', 'columns', 'trial'] as const

export type Step = (typeof STEPS)[number]

/**
 * URL of an import's page, from the root of the server.
 *
 * @param step  default: the one that it is at
 */
export function importUrl(view: ModelView, { id }: { id: number }, step?: Step): string {
  return view.url(`/import/${id}${step ? `?step=${step}` : ''}`)
}
