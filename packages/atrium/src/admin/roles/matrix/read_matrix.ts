import {
  ALL,
  type ModelPermissions,
  readPermissions,
  ROLE_ACTIONS,
  type PermissionsDocument,
  InvalidPermissions,
  namesInList,
  LISTS,
  type RoleList,
} from '../../models/permissions_document.js'
import type { Site } from '../../views/site.js'
import { offeredNames } from '../role_errors.js'

/**
 * Kinds of inputs in a model's row. `kept` contains a folded part that was not loaded; `open` marks an unfolded row
 * or, as a button, unfolds the row.
 */
type MatrixPart = 'own' | 'actions' | 'field' | 'records' | 'scopes' | 'kept' | 'open'

/** A parsed name of an input of the matrix */
interface MatrixInput {
  part: string
  model: string
  /** Name of the field; only for `field` */
  name: string | undefined
}

/**
 * Returns the name of an input, such as `permissions.actions.Film` or `permissions.field.Film.us_gross`. Names of
 * models and fields can contain any characters, so separators in them are escaped.
 *
 * @param field  name of the form field that contains the matrix
 */
export function inputName(field: string, part: MatrixPart, model: string, name?: string): string {
  return [field, part, ...[model, name].filter((one) => one !== undefined).map(escaped)].join('.')
}

/**
 * Parses the name of an input.
 *
 * @returns null if the input is not part of the matrix
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

/** Permissions on the fields and records of a model */
export type FoldedPermissions = ModelPermissions

/**
 * Serializes the folded part of a row for a hidden input. Fields and scopes are only loaded when a row is unfolded;
 * the input preserves them otherwise.
 *
 * @param others  names of the model's other actions, such as bulk actions; they replace `*`
 * @returns an empty string if there is nothing to preserve
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
 * Parses the value of `writeFolded`.
 *
 * @throws SyntaxError | InvalidPermissions
 */
export function readFolded(text: string): FoldedPermissions {
  if (text === '') return { actions: [] }
  return readPermissions({ kept: { actions: [], ...JSON.parse(text) } }).kept
}

export function isNoRoleAction(name: string): boolean {
  return name !== ALL && !(ROLE_ACTIONS as readonly string[]).includes(name)
}

/**
 * Name of an input that every matrix sends, so that a matrix without checked boxes is distinguished from a missing one
 */
const MATRIX = 'matrix'

/** Values of a field's radio buttons; `both` preserves a document that lists a field as hidden and as read-only. */
export const FIELD_STATES = {
  shown: '',
  readonly: 'readonly',
  hidden: 'hidden',
  both: 'hidden readonly',
} as const

/** Value of the button that unfolds a row without JavaScript */
const UNFOLD = 'now'

export const ALL_RECORDS = 'all'
export const CHOSEN_RECORDS = 'chosen'

interface Entry {
  actions: string[]
  hidden: string[]
  readonly: string[]
  scopes?: string[]
}

/**
 * Returns the permissions that a form with a matrix submitted. A model has a separate entry if its row has any value;
 * otherwise the row of all other models applies. A checked scope counts even if the radio button "all records" is
 * selected: without JavaScript users easily forget to change the button, and that must not give access to more
 * records.
 *
 * @param field  name of the form field that contains the matrix
 * @returns undefined if the form contains no matrix
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
  const document = { ...Object.fromEntries(entries), ...readLists(field, sent) }
  return document as PermissionsDocument
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

/**
 * Adds the permissions of a folded row. An unreadable value adds an invalid entry, so that validation of the
 * permissions fails.
 */
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
 * Returns the models whose rows were unfolded in a submitted form.
 *
 * @returns the names of the models, with true for the row whose button was pressed
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

/** A checkbox or a radio button. */
export interface MatrixBox {
  name: string
  value: string
  label: string
  checked: boolean
  /** True if the application has nothing with this name */
  unknown: boolean
}

/** The parts of the site that the matrix of permissions shows */
export type MatrixSite = Pick<Site, 'models' | 'pages' | 'cards' | 'text'>

/** A part of the matrix below the models: pages or cards of the application, each with a checkbox. */
export interface MatrixList {
  list: RoleList
  label: string
  help: string
  boxes: MatrixBox[]
}

/**
 * Returns the lists of a role's permissions; none for an application without pages and cards, unless the document
 * contains some.
 *
 * @param field  name of the form field that contains the matrix
 */
export function matrixLists(
  site: MatrixSite,
  field: string,
  document: PermissionsDocument
): MatrixList[] {
  return LISTS.flatMap((list) => {
    const known = offeredNames(site, list)
    const given = namesInList(document, list)
    const names = new Set([...known.keys(), ...given.filter((name) => name !== ALL)])
    if (names.size === 0 && given.length === 0) return []
    const box = (value: string, label: string, unknown = false): MatrixBox => ({
      name: listInput(field, list),
      value,
      label,
      checked: given.includes(value),
      unknown,
    })
    return {
      list,
      label: site.text(`roles.matrix.lists.${list}.label`),
      help: site.text(`roles.matrix.lists.${list}.help`),
      boxes: [
        box(ALL, site.text(`roles.matrix.lists.${list}.all`)),
        ...[...names].map((name) => box(name, known.get(name) ?? name, !known.has(name))),
      ],
    }
  })
}

/** Returns the name of the inputs of a list, such as `permissions.pages`. */
function listInput(field: string, list: RoleList): string {
  return `${field}.${list}`
}

/** Returns the lists that a form with a matrix submitted. */
function readLists(
  field: string,
  sent: ReadonlyMap<string, readonly string[]>
): Partial<Record<RoleList, string[]>> {
  const lists = LISTS.map((list) => {
    const names = (sent.get(listInput(field, list)) ?? []).filter((name) => name !== '')
    return [list, names] as const
  })
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0))
}
