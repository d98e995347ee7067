import {
  ALL,
  type ModelPermissions,
  readPermissions,
  ROLE_ACTIONS,
  type PermissionsDocument,
  InvalidPermissions,
} from '../../models/permissions_document.js'

/**
 * The inputs of a model's row. `kept` holds what is folded and was not loaded; `open` says that it was, or,
 * as a button, that it is to be.
 */
export type MatrixPart = 'own' | 'actions' | 'field' | 'records' | 'scopes' | 'kept' | 'open'

/** One input of the matrix, as its name tells it. */
export interface MatrixInput {
  part: string
  model: string
  /** Of the field, for `field` alone */
  name: string | undefined
}

/**
 * The name of an input: `permissions.actions.Film`, `permissions.field.Film.us_gross`. Any text can be the
 * name of a model or field, so what could be taken for something else is escaped.
 *
 * @param field  the form's field that the matrix is for
 */
export function inputName(field: string, part: MatrixPart, model: string, name?: string): string {
  return [field, part, ...[model, name].filter((one) => one !== undefined).map(escaped)].join('.')
}

/**
 * @returns null for an input that is not of the matrix
 */
export function readInputName(field: string, input: string): MatrixInput | null {
  if (!input.startsWith(`${field}.`)) return null
  const [part, model, name, more] = input.slice(field.length + 1).split('.')
  if (model === undefined || more !== undefined) return null
  try {
    return {
      part,
      model: decodeURIComponent(model),
      name: name === undefined ? undefined : decodeURIComponent(name),
    }
  } catch {
    return null
  }
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')
}

/** The fields and records that a role names for a model. */
export type FoldedPermissions = ModelPermissions

/**
 * Writes what is folded in a row, for a hidden input: fields and scopes are loaded when a row is unfolded,
 * and must not be lost where it is not. [U6]
 *
 * @param others  names of the model's other actions, such as bulk actions, all of which `*` stands for
 * @returns the empty text if there is nothing
 */
export function writeFolded(
  entry: ModelPermissions | undefined,
  others: readonly string[]
): string {
  if (!entry) return ''
  const { hidden, readonly, scopes } = entry
  const actions = entry.actions.includes(ALL) ? others : entry.actions.filter(isNoRoleAction)
  const stored = { ...(actions.length > 0 && { actions }), hidden, readonly, scopes }
  const text = JSON.stringify(stored)
  return text === '{}' ? '' : text
}

/**
 * @throws SyntaxError | InvalidPermissions
 */
export function readFolded(text: string): FoldedPermissions {
  if (text === '') return { actions: [] }
  return readPermissions({ kept: { actions: [], ...JSON.parse(text) } }).kept
}

export function isNoRoleAction(name: string): boolean {
  return name !== ALL && !(ROLE_ACTIONS as readonly string[]).includes(name)
}

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
 * button next to it says: without a script it is easily forgotten, and that must not show more. [U6]
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
  if (part === 'kept') for (const text of said) addStored(entry, text)
  if (part !== 'field' || name === undefined) return
  const states = said.at(-1)!.split(' ')
  if (states.includes(FIELD_STATES.hidden)) entry.hidden.push(name)
  if (states.includes(FIELD_STATES.readonly)) entry.readonly.push(name)
}

/** Unreadable names stay, so that reading the permissions reports them. */
function addStored(entry: Entry, text: string) {
  try {
    const { actions, hidden = [], readonly = [], scopes } = readFolded(text)
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
