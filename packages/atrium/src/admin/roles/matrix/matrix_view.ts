import { transitionNames } from '#base/columns/transitions'
import type { ModelView } from '../../views/model_view.js'
import {
  ALL,
  OWN_TOKENS,
  type ModelPermissions,
  modelsIn,
  ownEntryOf,
  type PermissionsDocument,
  ROLE_ACTIONS,
  type RoleAction,
} from '../../models/permissions_document.js'
import { fieldsOf, offeredViews } from '../role_errors.js'
import {
  inputName,
  isNoRoleAction,
  type FoldedPermissions,
  writeFolded,
  ALL_RECORDS,
  CHOSEN_RECORDS,
  FIELD_STATES,
  matrixLists,
  type MatrixBox,
  type MatrixList,
  type MatrixSite,
} from './read_matrix.js'
import { wordsOf } from '../../text/plain_text.js'
import { isImportable } from '../../import/import_access.js'

export type { MatrixBox }

/** A field of a model, with its three possible states in a role. */
interface MatrixField {
  label: string
  apiName: string
  unknown: boolean
  states: MatrixBox[]
}

/** The row of one model, or of all other models. */
export interface MatrixRow {
  model: string
  label: string
  kind: 'others' | 'model' | 'account' | 'own' | 'unknown'
  /** Marks that the model has a separate entry, even if no other box is checked */
  own: MatrixBox
  all: MatrixBox
  /** In the order of `ROLE_ACTIONS`; null if the model does not have the action */
  actions: Array<MatrixBox | null>
  /** The folded part; null if it is loaded when the row is unfolded */
  more: MatrixMore | null
  /**
   * Hidden input with the permissions of a folded row; `others` are the model's other actions as JSON, if there are
   * any
   */
  kept: { name: string; value: string; others: string }
  /** True if the row is initially unfolded */
  isOpen: boolean
  /** True if the row has just been unfolded by its button */
  isFocused: boolean
  /** Name of the button that unfolds the row, and of the hidden input that marks an unfolded row */
  open: string
  /** Summary such as `2 hidden · ownBranch`; empty if the role only has actions */
  summary: string
}

/** The folded part of a row. */
interface MatrixMore {
  open: string
  /** Bulk actions, and actions that do not exist in the application */
  others: MatrixBox[]
  fields: MatrixField[]
  records: MatrixBox[]
  scopes: MatrixBox[]
}

interface MatrixView {
  lists: MatrixList[]
  columns: Array<{ action: RoleAction; label: string }>
  /** `isNamed`: whether the label is shown */
  groups: Array<{ label: string; isNamed: boolean; rows: MatrixRow[] }>
}

/* Minimum number of models that must have a field for it to be offered in the row of all other models. */
const SHARED = 2

/* Maximum length of the permissions of a folded row. Longer ones do not fit into a URL and are part of the page. */
const LONGEST_STORED = 2000

/**
 * Returns the matrix of a role's permissions: the models in the groups of the sidebar, then models in the document
 * that do not exist in the application.
 *
 * @param field     name of the form field that contains the matrix
 * @param unfolded  models whose rows are initially unfolded; true for the one that gets the focus
 */
export function matrixView(
  site: MatrixSite,
  field: string,
  document: PermissionsDocument,
  unfolded: ReadonlyMap<string, boolean> = new Map()
): MatrixView {
  const offered = offeredViews(site)
  const make = (model: string, shape: Shape) =>
    matrixRow(site, field, model, ownEntryOf(document, model), shape, unfolded)
  const groups = Map.groupBy(offered, ({ group }) => group ?? site.text('sidebar.models'))
  const known = new Set([ALL, OWN_TOKENS, ...offered.map(({ name }) => name)])
  const strangers = modelsIn(document).flatMap(([name]) => (known.has(name) ? [] : [name]))
  return {
    lists: matrixLists(site, field, document),
    columns: ROLE_ACTIONS.map((action) => ({
      action,
      label: site.text(`roles.actions.${action}`),
    })),
    groups: [
      {
        label: site.text('roles.matrix.everywhere'),
        isNamed: false,
        rows: [make(ALL, othersShape(site, offered))],
      },
      ...[...groups].map(([label, members]) => ({
        label,
        isNamed: true,
        rows: members.map((view) => make(view.name, modelShape(view))),
      })),
      ...(site.models.has(OWN_TOKENS)
        ? [
            {
              label: site.text('roles.matrix.account'),
              isNamed: true,
              rows: [make(OWN_TOKENS, tokensShape(site))],
            },
          ]
        : []),
      ...(strangers.length === 0
        ? []
        : [
            {
              label: site.text('roles.matrix.ungoverned'),
              isNamed: true,
              rows: strangers.map((name) => make(name, anonymousShape(site, name))),
            },
          ]),
    ],
  }
}

/**
 * Returns the collapsed details (fields, scopes, bulk actions) of a model's row.
 *
 * @param stored  permissions of the role on the model
 */
export function matrixMore(
  site: MatrixSite,
  field: string,
  model: string,
  stored: FoldedPermissions
): MatrixMore {
  return moreOf(site, field, model, stored, shapeOf(site, model))
}

function shapeOf(site: MatrixSite, model: string): Shape {
  if (model === OWN_TOKENS && site.models.has(model)) return tokensShape(site)
  if (model === ALL) return othersShape(site, offeredViews(site))
  const view = site.models.get(model)
  return view && !view.adminModel ? modelShape(view) : anonymousShape(site, model)
}

/** Fields, scopes and bulk actions of a model. */
interface Shape {
  kind: MatrixRow['kind']
  label: string
  actions: readonly string[]
  bulk: ReadonlyMap<string, string>
  fields: ReadonlyMap<string, string>
  scopes: readonly string[]
}

function modelShape(view: ModelView): Shape {
  const { label, bulkActions, options, recordActions } = view
  return {
    kind: 'model',
    label,
    actions: ROLE_ACTIONS.filter((action) => isPossible(view, action)),
    bulk: new Map([
      ...[...bulkActions, ...recordActions].map((one): [string, string] => [one.name, one.label]),
      ...transitionLabels(view),
    ]),
    fields: new Map(fieldsOf(view).map((name) => [name, view.labelOf(name)])),
    scopes: Object.keys(options.scopes ?? {}),
  }
}

/** Returns the transitions of a model by their names, each with a label such as `Status: draft → confirmed`. */
function transitionLabels(view: ModelView): Array<[string, string]> {
  return view.resource.limitedColumns.flatMap((limited) =>
    transitionNames([limited]).map((name): [string, string] => {
      const change = name.slice(limited.column.apiName.length + 1).replace('>', ' → ')
      return [name, `${view.labelOf(limited.column.apiName)}: ${change}`]
    })
  )
}

/** Returns true if roles can allow the action on the model: also if only the API offers it, except for imports. */
function isPossible(view: ModelView, action: RoleAction): boolean {
  const { readOnly, softDelete } = view.resource
  if (readOnly) return action === 'view' || action === 'export'
  if (action === 'import') return isImportable(view)
  return action !== 'restore' || softDelete !== undefined
}

function othersShape(site: MatrixSite, views: readonly ModelView[]): Shape {
  const shapes = views.map(modelShape)
  const fields = shapes.flatMap((shape) => [...shape.fields])
  const counts = Map.groupBy(fields, ([name]) => name)
  return {
    kind: 'others',
    label: site.text('roles.matrix.others'),
    actions: ROLE_ACTIONS,
    bulk: new Map(shapes.flatMap(({ bulk }) => [...bulk])),
    fields: new Map(fields.filter(([name]) => counts.get(name)!.length >= SHARED)),
    scopes: [...new Set(shapes.flatMap(({ scopes }) => scopes))],
  }
}

/**
 * Returns the row for the user's access tokens, which only has the action "create". All other models of the admin
 * site are limited to superusers.
 */
function tokensShape(site: MatrixSite): Shape {
  const none = { bulk: new Map(), fields: new Map(), scopes: [] }
  return {
    kind: 'account',
    label: site.text('roles.matrix.ownTokens'),
    actions: ['create'],
    ...none,
  }
}

function anonymousShape(site: MatrixSite, name: string): Shape {
  const view = site.models.get(name)
  const none = { actions: ROLE_ACTIONS, bulk: new Map(), fields: new Map(), scopes: [] }
  return { kind: view ? 'own' : 'unknown', label: view?.label ?? name, ...none }
}

function matrixRow(
  site: MatrixSite,
  field: string,
  model: string,
  entry: ModelPermissions | undefined,
  shape: Shape,
  unfolded: ReadonlyMap<string, boolean>
): MatrixRow {
  const { actions = [] } = entry ?? {}
  const isAll = actions.includes(ALL)
  const named = (part: 'actions' | 'own' | 'open' | 'kept') => inputName(field, part, model)
  const others = [...shape.bulk.keys()]
  const stored = writeFolded(entry, others)
  const isLoaded = unfolded.has(model) || stored.length > LONGEST_STORED
  return {
    model,
    label: shape.label,
    kind: shape.kind,
    own: {
      name: named('own'),
      value: '1',
      label: site.text('roles.matrix.own'),
      checked: entry !== undefined,
      unknown: false,
    },
    all: {
      name: named('actions'),
      value: ALL,
      label: site.text('roles.matrix.all'),
      checked: isAll,
      unknown: false,
    },
    actions: ROLE_ACTIONS.map((name) =>
      shape.actions.includes(name) || actions.includes(name)
        ? {
            name: named('actions'),
            value: name,
            label: site.text(`roles.actions.${name}`),
            checked: isAll || actions.includes(name),
            unknown: false,
          }
        : null
    ),
    more: isLoaded ? moreOf(site, field, model, entry, shape) : null,
    kept: {
      name: named('kept'),
      value: stored,
      others: others.length > 0 ? JSON.stringify(others) : '',
    },
    isOpen: unfolded.has(model),
    isFocused: unfolded.get(model) === true,
    open: named('open'),
    summary: summaryOf(site, entry),
  }
}

function moreOf(
  site: MatrixSite,
  field: string,
  model: string,
  entry: ModelPermissions | undefined,
  shape: Shape
): MatrixMore {
  const { actions = [], hidden = [], readonly = [], scopes } = entry ?? {}
  const named = (part: 'actions' | 'scopes' | 'records') => inputName(field, part, model)
  const others = new Set([...shape.bulk.keys(), ...actions.filter(isNoRoleAction)])
  const scopeNames = new Set([...shape.scopes, ...(scopes ?? [])])
  const fieldNames = new Set([...shape.fields.keys(), ...hidden, ...readonly])
  return {
    open: inputName(field, 'open', model),
    others: [...others].map((name) => ({
      name: named('actions'),
      value: name,
      label: shape.bulk.get(name) ?? name,
      checked: actions.includes(ALL) || actions.includes(name),
      unknown: !shape.bulk.has(name),
    })),
    fields: [...fieldNames].map((apiName) => ({
      apiName,
      label: shape.fields.get(apiName) ?? apiName,
      unknown: isUnknown(shape, shape.fields.has(apiName)),
      states: fieldStates(site, inputName(field, 'field', model, apiName), {
        hidden: hidden.includes(apiName),
        readonly: readonly.includes(apiName),
      }),
    })),
    records: scopeNames.size > 0 || scopes ? recordStates(site, named('records'), scopes) : [],
    scopes: [...scopeNames].map((name) => ({
      name: named('scopes'),
      value: name,
      label: wordsOf(name),
      checked: scopes?.includes(name) ?? false,
      unknown: isUnknown(shape, shape.scopes.includes(name)),
    })),
  }
}

/**
 * Returns true if a name is marked as unknown. In the row of all other models a name can belong to any model, and names
 * in the row of a missing model are not marked.
 */
function isUnknown({ kind }: Shape, isKnown: boolean): boolean {
  return kind === 'model' && !isKnown
}

function fieldStates(
  site: MatrixSite,
  name: string,
  { hidden, readonly }: { hidden: boolean; readonly: boolean }
): MatrixBox[] {
  const box = (state: 'shown' | 'readonly' | 'hidden', value: string, checked: boolean) => ({
    name,
    value,
    label: site.text(`roles.matrix.${state}`),
    checked,
    unknown: false,
  })
  return [
    box('shown', FIELD_STATES.shown, !hidden && !readonly),
    box('readonly', FIELD_STATES.readonly, readonly && !hidden),
    box('hidden', hidden && readonly ? FIELD_STATES.both : FIELD_STATES.hidden, hidden),
  ]
}

function recordStates(
  site: MatrixSite,
  name: string,
  scopes: readonly string[] | undefined
): MatrixBox[] {
  return [ALL_RECORDS, CHOSEN_RECORDS].map((value) => ({
    name,
    value,
    label: site.text(`roles.matrix.${value}Records`),
    checked: (value === CHOSEN_RECORDS) === (scopes !== undefined),
    unknown: false,
  }))
}

function summaryOf(site: MatrixSite, entry: ModelPermissions | undefined): string {
  const { hidden = [], readonly = [], scopes } = entry ?? {}
  const shown = [...new Set(readonly)].filter((name) => !hidden.includes(name))
  return [
    hidden.length > 0 && site.text('roles.matrix.hiddenCount', { count: hidden.length }),
    shown.length > 0 && site.text('roles.matrix.readonlyCount', { count: shown.length }),
    scopes && (scopes.join(', ') || site.text('roles.matrix.noRecords')),
  ]
    .filter(Boolean)
    .join(' · ')
}
