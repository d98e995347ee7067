import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import {
  ALL,
  type ModelPermissions,
  type PermissionsDocument,
  ROLE_ACTIONS,
  type RoleAction,
} from '../document.js'
import { fieldsOf } from '../unknown_names.js'
import { inputName } from './input_names.js'
import { ALL_RECORDS, CHOSEN_RECORDS, FIELD_STATES } from './read_matrix.js'

type Site = Pick<AdminSite, 'models' | 'text'>

/** A checkbox or a radio button. */
export interface MatrixBox {
  name: string
  value: string
  label: string
  checked: boolean
  /** True if the application has nothing of this name */
  unknown: boolean
}

/** A field of a model, with the three things that a role can say of it. */
export interface MatrixField {
  label: string
  apiName: string
  unknown: boolean
  states: MatrixBox[]
}

/** Row of one model, or of all others. */
export interface MatrixRow {
  model: string
  label: string
  id: string
  kind: 'others' | 'model' | 'own' | 'unknown'
  /** Says that the model has an entry of its own, though nothing else may be ticked */
  own: MatrixBox
  all: MatrixBox
  /** In the order of `ROLE_ACTIONS`; null for one that the model does not have */
  actions: Array<MatrixBox | null>
  /** Bulk actions, and actions that the application does not have */
  others: MatrixBox[]
  fields: MatrixField[]
  records: MatrixBox[]
  scopes: MatrixBox[]
  /** As in `2 hidden · ownBranch`; empty where nothing is said beside actions */
  summary: string
}

export interface MatrixView {
  columns: Array<{ action: RoleAction; label: string }>
  /** `isNamed`: whether the label is shown, too */
  groups: Array<{ label: string; isNamed: boolean; rows: MatrixRow[] }>
}

/* A field of all other models is offered where as many models have it. */
const SHARED = 2

/**
 * The matrix of a role's permissions: the models in the groups of the sidebar, then what the document names
 * and the application does not have. [U6]
 *
 * @param field  the form's field that the matrix is for
 */
export function matrixView(site: Site, field: string, document: PermissionsDocument): MatrixView {
  const views = [...site.models.values()]
  const offered = views.filter(({ adminModel }) => !adminModel)
  const make = (model: string, shape: Shape) =>
    matrixRow(site, field, model, entryIn(document, model), shape)
  const groups = Map.groupBy(offered, ({ group }) => group ?? site.text('sidebar.models'))
  const known = new Set([ALL, ...offered.map(({ name }) => name)])
  const strangers = Object.keys(document).filter((name) => !known.has(name))
  return {
    columns: ROLE_ACTIONS.map((action) => ({ action, label: actionLabel(site, action) })),
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
      ...(strangers.length === 0
        ? []
        : [
            {
              label: site.text('roles.matrix.strangers'),
              isNamed: true,
              rows: strangers.map((name) => make(name, strangerShape(site, name))),
            },
          ]),
    ],
  }
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
  const { label, bulkActions, options, resource } = view
  return {
    kind: 'model',
    label,
    actions: ROLE_ACTIONS.filter((action) => action !== 'restore' || resource.softDelete),
    bulk: new Map(bulkActions.map((action) => [action.name, action.label])),
    fields: new Map(fieldsOf(view).map((name) => [name, view.labelOf(name)])),
    scopes: Object.keys(options.scopes ?? {}),
  }
}

function othersShape(site: Site, views: readonly ModelView[]): Shape {
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

function strangerShape(site: Site, name: string): Shape {
  const view = site.models.get(name)
  const none = { actions: ROLE_ACTIONS, bulk: new Map(), fields: new Map(), scopes: [] }
  return { kind: view ? 'own' : 'unknown', label: view?.label ?? name, ...none }
}

function matrixRow(
  site: Site,
  field: string,
  model: string,
  entry: ModelPermissions | undefined,
  shape: Shape
): MatrixRow {
  const { actions = [], hidden = [], readonly = [], scopes } = entry ?? {}
  const isAll = actions.includes(ALL)
  const named = (part: 'actions' | 'scopes' | 'own' | 'records') => inputName(field, part, model)
  const action = (name: string, label: string, unknown: boolean): MatrixBox => {
    const checked = isAll || actions.includes(name)
    return { name: named('actions'), value: name, label, checked, unknown }
  }
  const others = new Set([...shape.bulk.keys(), ...actions.filter(isNoRoleAction)])
  const scopeNames = new Set([...shape.scopes, ...(scopes ?? [])])
  const fieldNames = new Set([...shape.fields.keys(), ...hidden, ...readonly])
  return {
    model,
    label: shape.label,
    id: named('own'),
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
        ? action(name, actionLabel(site, name), false)
        : null
    ),
    others: [...others].map((name) =>
      action(name, shape.bulk.get(name) ?? name, !shape.bulk.has(name))
    ),
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
      label: name,
      checked: scopes?.includes(name) ?? false,
      unknown: isUnknown(shape, shape.scopes.includes(name)),
    })),
    summary: summaryOf(site, entry),
  }
}

/** Of all other models any name may be one; of a model that is not there none is known, nor said to be unknown. */
function isUnknown({ kind }: Shape, isKnown: boolean): boolean {
  return kind === 'model' && !isKnown
}

function fieldStates(
  site: Site,
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
  site: Site,
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

function summaryOf(site: Site, entry: ModelPermissions | undefined): string {
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

function isNoRoleAction(name: string): boolean {
  return name !== ALL && !(ROLE_ACTIONS as readonly string[]).includes(name)
}

function actionLabel(site: Site, action: RoleAction): string {
  return site.text(`roles.actions.${action}`)
}

function entryIn(document: PermissionsDocument, model: string): ModelPermissions | undefined {
  return Object.hasOwn(document, model) ? document[model] : undefined
}
