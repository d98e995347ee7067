import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud } from '#crud'
import { countsValues, ListRequest, pageOf } from '#crud/internals'
import type { Column } from '#base/columns/column'
import { resultWithin } from '#base/database/time_limit'
import { isInvisible } from '../../text/plain_text.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { fieldsOfForms } from './filter_bar.js'

/** Maximum number of suggested values in a response */
const MOST_SUGGESTED = 50

/* Number of newest records whose values are counted, and of counted values in which the typed text is searched */
const NEWEST = 10_000
const MOST_SEARCHED = 1000

/* Maximum length of a suggested value */
const LONGEST = 100

/* Timeout for counting, in milliseconds */
const TIMEOUT = 1000

/** Values that are suggested for a text. */
export interface Suggestions {
  values: readonly string[]
  /** True if more values can be found by typing */
  isCut: boolean
}

/**
 * Returns the URL of the suggestions for a text of one line. The title column and unique columns have no suggestions,
 * as their values identify single records.
 *
 * @returns undefined for a field without suggestions
 */
export function suggestionsUrl(
  site: Site,
  view: ModelView,
  column: Column | undefined
): string | undefined {
  if (!column || !isSuggested(site, view, column)) return undefined
  return view.url(`/suggestions/${encodeURIComponent(column.apiName)}`)
}

function isSuggested(site: Site, view: ModelView, column: Column): boolean {
  const { resource } = view
  const { suggestions } = view.fieldOptions(column.apiName)
  if (suggestions === false || column.kind !== 'text' || !resource.fields.includes(column)) {
    return false
  }
  /* The forms of the unlimited view are checked, as the user's roles may allow no form. */
  const isLine = fieldsOfForms(site, view.base).some(
    ({ name, widget, secret }) => name === column.apiName && widget === 'text' && !secret
  )
  if (!isLine || !view.may('view')) return false
  if (suggestions) return true
  const isUnique = resource.wholeKeys.some(
    ([name, ...more]) => name === column.name && !more.length
  )
  return !isUnique && column !== view.titleColumns[0] && canCount(view, column)
}

/** Returns true if values can be counted. A custom `getMulti` may omit items, whose values must not be suggested. */
function canCount({ crud, resource }: ModelView, column: Column): boolean {
  return countsValues(resource, column) && crud.getMulti === LucidCrud.prototype.getMulti
}

/**
 * Returns the suggestions for a column: those of the field's options, otherwise the most frequent values among the
 * newest records that the user can see. Values that rarely repeat are not suggested unless the option is true.
 *
 * @param q  text that the values contain, ignoring case; empty for all
 * @throws Problem 403  if the policy refuses listing
 */
export async function suggestedValues(
  ctx: HttpContext,
  view: ModelView,
  column: Column,
  q: string
): Promise<Suggestions> {
  const { suggestions } = view.fieldOptions(column.apiName)
  const values = Array.isArray(suggestions)
    ? suggestions
    : await storedValues(ctx, view, column, suggestions === true)
  const text = q.trim().toLowerCase()
  const found = values.filter((value) => value.toLowerCase().includes(text))
  return { values: found.slice(0, MOST_SUGGESTED), isCut: found.length > MOST_SUGGESTED }
}

async function storedValues(
  ctx: HttpContext,
  view: ModelView,
  column: Column,
  isWanted: boolean
): Promise<string[]> {
  if (!canCount(view, column)) return []
  const request = new ListRequest([], [], pageOf(1, 1), 'exclude', {})
  let kinds = 0
  const options = {
    ...view.callOptions(ctx),
    most: MOST_SEARCHED,
    newest: NEWEST,
    counted: (all: number) => (kinds = all),
  }
  const counts = await resultWithin(TIMEOUT, () =>
    view.crud.countByValue(column.apiName, request, options)
  )
  const texts = counts?.filter(({ value }) => isShown(value)) ?? []
  const repeated = isWanted ? texts : texts.filter(({ count }) => count > 1)
  const others = (counts?.length ?? 0) - texts.length
  if (!isWanted && repeated.length * 2 < kinds - others) return []
  return repeated.map(({ value }) => String(value))
}

function isShown(value: unknown): boolean {
  return typeof value === 'string' && value.length <= LONGEST && !isInvisible(value)
}
