import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { type LucidCrud, type Resource, ValueError } from '#crud'
import { listed, shown } from '#base/errors'
import { BodySchema } from '#base/schema/body_schema'
import { CompiledSchema, type ObjectSchema } from '#base/schema/object_schema'
import { groupedNumber } from '#base/values/numbers'
import { ACTIONS, type Action } from '../permissions/offers.js'
import { BulkAction, type Selection } from './bulk_action.js'
import type { KeyValue } from '#base/columns/key'

/** Input of a record action. */
export interface RecordCall {
  /** The record, locked in the transaction of the action */
  record: LucidRow
  /** Validated values of the action's form, by name */
  values: Record<string, any>
  crud: LucidCrud
  /** Pass these options to every `crud` call: they belong to the action's transaction */
  options: Selection['options']
  /** Context of the request */
  ctx: HttpContext
}

/**
 * An action on one record: a button on its page and in its row of the list. It runs in one transaction, its writes are
 * one event with its name, and roles allow it by that name.
 */
export abstract class RecordAction {
  /** Name in the URL, in roles and in events: letters, digits, `-` and `_` */
  abstract readonly name: string
  /** Label of the button */
  abstract readonly label: string
  /** SVG path data in a 24 by 24 box, drawn in the button */
  readonly icon: string | undefined = undefined
  /** VineJS schema of a form that is filled in before the action runs */
  readonly form: ObjectSchema | undefined = undefined
  /** True, or a question, to ask before the action runs */
  readonly confirm: boolean | string = false
  /** True to offer the action for selected records as well; not together with a form */
  readonly bulk: boolean = false
  /** Action of the view that is required in addition to the permission of the record action's name */
  readonly needs: Action = 'view'

  /**
   * Runs the action.
   *
   * @returns success message for the next page; default: the label with the title of the record
   * @throws  any error; the transaction is then rolled back
   */
  abstract run(call: RecordCall): Promise<string | void>
}

/** A bulk action that runs a record action on each selected record. */
class ActionOnEach extends BulkAction {
  readonly name: string
  readonly label: string
  readonly needs: Action
  readonly confirms: boolean

  constructor(private readonly action: RecordAction) {
    super()
    this.name = action.name
    this.label = action.label
    this.needs = action.needs
    this.confirms = action.confirm !== false
  }

  async run({ records, crud, options, ctx }: Selection): Promise<string> {
    const { action } = this
    for (const record of records) await action.run({ record, values: {}, crud, options, ctx })
    return `${action.label}: ${groupedNumber(records.length)}`
  }
}

/**
 * Creates the record actions of a view, one instance per class.
 *
 * @param taken  names of bulk actions and of other permissions
 * @throws ValueError  for an invalid record action
 */
export function makeRecordActions(
  view: string,
  classes: Iterable<new () => RecordAction> = [],
  taken: readonly string[] = []
): RecordAction[] {
  const actions = new Map<string, RecordAction>()
  for (const Class of classes) {
    const given = Class as { prototype?: unknown; name?: string } | null | undefined
    if (!(given?.prototype instanceof RecordAction)) {
      throw new ValueError(
        `${view}: recordActions contains something that is not a subclass of RecordAction: ${given?.name ?? shown(given)}`
      )
    }
    const action = new Class()
    checkAction(`${view}: the record action ${Class.name}`, action, [...taken, ...actions.keys()])
    actions.set(action.name, action)
  }
  return [...actions.values()]
}

/** Returns the record actions that are offered for selected records, as bulk actions. */
export function actionsOnEach(actions: readonly RecordAction[]): BulkAction[] {
  return actions.filter(({ bulk }) => bulk).map((action) => new ActionOnEach(action))
}

const FORMS = new WeakMap<RecordAction, BodySchema>()

/** Returns the schema of an action's form; null if it has none. */
export function formOf(action: RecordAction): BodySchema | null {
  if (!action.form) return null
  let body = FORMS.get(action)
  if (!body) {
    const schema = new CompiledSchema(action.form, 'form', action.constructor.name)
    FORMS.set(action, (body = new BodySchema(schema, () => undefined, false)))
  }
  return body
}

function checkAction(place: string, action: RecordAction, taken: readonly string[]): void {
  const { bulk, label, name, needs } = action
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]+$/.test(name)) {
    throw new ValueError(
      `${place} is named '${name}', which is not valid in a URL; use letters, digits, - and _`
    )
  }
  if (taken.includes(name)) {
    throw new ValueError(`${place} is named '${name}', which another action is; rename it`)
  }
  if (typeof label !== 'string' || label.trim() === '') {
    throw new ValueError(
      `${place} has the label ${shown(label)}, and must have a text for its button`
    )
  }
  if (!ACTIONS.includes(needs)) {
    throw new ValueError(
      `${place} needs '${needs}', which is not an action; actions are ${listed(ACTIONS)}`
    )
  }
  if (bulk && action.form) {
    throw new ValueError(`${place} has a form, so that it can't be a bulk action; leave bulk out`)
  }
  formOf(action)
}

/** A button or link that runs an action on a record. */
export interface ActionButton {
  label: string
  icon: string | undefined
  url: string
  /** True if the URL is that of a page with a form or a question */
  asks: boolean
}

/**
 * Returns the actions on a record that the roles of the user allow.
 *
 * @param view  view with the permissions of the user's roles
 */
export function actionButtons(
  view: {
    readonly recordActions: readonly RecordAction[]
    readonly resource: Pick<Resource, 'key'>
    url(path: string): string
  },
  key: KeyValue
): ActionButton[] {
  return view.recordActions.map(({ confirm, form, icon, label, name }) => ({
    label,
    icon,
    url: view.url(`/record_action/${name}${view.resource.key.toPath(key)}`),
    asks: form !== undefined || confirm !== false,
  }))
}
