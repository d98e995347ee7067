import type { AdminSite } from '../admin_site.js'
import { cutText } from './cell.js'
import type { ListParameters } from './list_parameters.js'

/**
 * Message of a list without records: the reason, and the next step.
 */
export interface EmptyState {
  heading: string
  text: string
  link: { url: string; label: string } | null
  /** Next to the link that adds the first record [L13] */
  importLink: { url: string; label: string } | null
}

interface EmptyStateOptions {
  failed: boolean
  /** True if the viewer sees only some records of the model */
  isScoped: boolean
  /** Singular and plural of the model in a sentence */
  words: { one: string; many: string }
  /** Label of the searched column */
  label: string
  links: { create: string | null; import: string | null; all: string; unfiltered: string }
}

export function emptyState(
  site: AdminSite,
  parameters: ListParameters,
  { failed, isScoped, words, label, links }: EmptyStateOptions
): EmptyState {
  const say = (key: string, link: EmptyState['link'], data: Record<string, string> = {}) => ({
    heading: site.text(`list.${key.split('.')[0]}.heading`, words),
    text: site.text(`list.${key}`, { ...words, ...data }),
    link,
    importLink: null,
  })
  if (failed) {
    return say('failed.text', { url: parameters.url, label: site.text('list.failed.retry') })
  }
  if (parameters.filters.some(({ condition }) => condition)) {
    const clear = { url: links.unfiltered, label: site.text('list.filters.clear') }
    return say('none.filtered', clear)
  }
  if (parameters.q !== '') {
    const clear = { url: links.all, label: site.text('list.search.clear') }
    return say('none.words', clear, { text: cutText(parameters.q) })
  }
  if (parameters.condition) {
    const clear = { url: links.all, label: site.text('list.search.clear') }
    return say('none.text', clear, { text: cutText(parameters.search), label })
  }
  if (parameters.deleted === 'only') {
    const url = parameters.with({ page: 1, deleted: 'exclude' }).url
    return say('none.deleted', { url, label: site.text('list.none.active', words) })
  }
  const importLink = links.import && { url: links.import, label: site.text('import.open') }
  const group = isScoped ? 'unseen' : 'empty'
  const add = links.create && { url: links.create, label: site.text(`list.${group}.add`, words) }
  const key = isScoped ? 'text' : emptyText(add, importLink)
  return { ...say(`${group}.${key}`, add || null), importLink: importLink || null }
}

function emptyText(add: unknown, importLink: unknown): string {
  if (add) return importLink ? 'createOrImport' : 'create'
  return importLink ? 'import' : 'text'
}
