import type { PermissionsDocument } from '../document.js'
import { InvalidPermissions } from '../document.js'
import { readInputName } from './input_names.js'
import { readKept } from './kept.js'

/** Sent with every matrix, so that one without any tick says something, too */
export const MATRIX = 'matrix'

/** Values of a field's radio buttons; `both` keeps a document that names a field twice. */
export const FIELD_STATES = {
  shown: '',
  readonly: 'readonly',
  hidden: 'hidden',
  both: 'hidden readonly',
} as const

/** Value of the button that loads what is folded in a row, without a script */
export const UNFOLD = 'now'

export const ALL_RECORDS = 'all'
export const CHOSEN_RECORDS = 'chosen'

interface Entry {
  actions: string[]
  hidden: string[]
  readonly: string[]
  scopes?: string[]
}

/**
 * The permissions that a form with a matrix sent. A model has an entry of its own if anything is said in its
 * row; without a tick it follows the row of all other models. A scope that is ticked counts, whatever the radio
 * button next to it says: without a script it is easily forgotten, and nobody is to see more by that. [U6]
 *
 * @param field  the form's field that the matrix is for
 * @returns undefined where the form has no matrix
 */
export function readMatrix(
  field: string,
  sent: ReadonlyMap<string, readonly string[]>
): PermissionsDocument | undefined {
  if (!sent.has(`${field}.${MATRIX}`)) return undefined
  const entries = new Map<string, Entry>()
  for (const [input, values] of sent) {
    const { part, model, name } = readInputName(field, input) ?? {}
    if (part === undefined || model === undefined || part === 'open') continue
    const said = values.filter((value) => value !== '')
    if (said.length === 0 || (part === 'records' && said.at(-1) === ALL_RECORDS)) continue
    let entry = entries.get(model)
    if (!entry) entries.set(model, (entry = { actions: [], hidden: [], readonly: [] }))
    add(entry, part, said, name)
  }
  return Object.fromEntries(entries)
}

function add(entry: Entry, part: string, said: string[], name: string | undefined) {
  if (part === 'actions') entry.actions.push(...said)
  if (part === 'records') entry.scopes ??= []
  if (part === 'scopes') entry.scopes = [...(entry.scopes ?? []), ...said]
  if (part === 'kept') for (const text of said) addKept(entry, text)
  if (part !== 'field' || name === undefined) return
  const states = said.at(-1)!.split(' ')
  if (states.includes(FIELD_STATES.hidden)) entry.hidden.push(name)
  if (states.includes(FIELD_STATES.readonly)) entry.readonly.push(name)
}

/** Unreadable names are kept, so that reading the permissions reports them. */
function addKept(entry: Entry, text: string) {
  try {
    const { actions, hidden = [], readonly = [], scopes } = readKept(text)
    entry.actions.push(...actions)
    entry.hidden.push(...hidden)
    entry.readonly.push(...readonly)
    if (scopes) entry.scopes = [...(entry.scopes ?? []), ...scopes]
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InvalidPermissions)) throw error
    entry.actions.push('')
  }
}

/**
 * The models whose rows a form sent unfolded.
 *
 * @returns with true for the one whose button was pressed
 */
export function unfoldedIn(
  field: string,
  sent: ReadonlyMap<string, readonly string[]>
): Map<string, boolean> {
  const models = new Map<string, boolean>()
  for (const [input, values] of sent) {
    const { part, model } = readInputName(field, input) ?? {}
    if (part === 'open' && model !== undefined) models.set(model, values.includes(UNFOLD))
  }
  return models
}
