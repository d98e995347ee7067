import type { HttpContext } from '@adonisjs/core/http'
import string from '@adonisjs/core/helpers/string'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { RuntimeError, ValueError, type EndpointCreator, type LucidCrud } from '#crud'
import { roomOf } from '#crud/http/answer_room'
import { checkOptions, shown } from '#crud/checks'
import { crudOf, settingsOf } from '#crud/endpoints/crud_object'
import { crudOptionsOf } from '#crud/decorator'
import { listed } from '#crud/errors'
import { noteFileColumns } from '#crud/operations/check_files'
import { keyOf } from '#crud/operations/item_keys'
import type { Column } from '#crud/resource/column'
import type { KeyValue } from '#crud/resource/key'
import { CompiledSchema } from '#crud/schema/object_schema'
import { Resource } from '#crud/resource/resource'
import type { CrudOptions, Item } from '#crud/types'
import type { AdminSite } from './admin_site.js'
import { adminActor } from './authentication/admin_actor.js'
import { adminOrigin } from './authentication/admin_origin.js'
import type { BulkAction } from './bulk/bulk_action.js'
import { makeBulkActions } from './bulk/make_bulk_actions.js'
import { checkListColumns, checkViewOptions } from './check_view_options.js'
import { crudEndpoints } from './http/routes/crud_endpoints.js'
import type { DatabaseConfig } from './database_config.js'
import type { EventIntegration } from './events/event_integration.js'
import { isInvisible } from './list/cell.js'
import { ListColumn } from './list/list_column.js'
import { may } from './permissions/may.js'
import { ACTIONS, type Action, type AdminViewOptions, type FieldOptions } from './view_options.js'

export { ACTIONS, type Action, type AdminViewOptions } from './view_options.js'

/**
 * What a view is made of: the options, and what the site gives it. [S17]
 */
export interface ModelViewParameters extends AdminViewOptions {
  databaseConfig: DatabaseConfig
  model: LucidModel
  /** Whether it is one of the admin's own models, on the admin connection */
  adminModel?: boolean
  adminSite?: AdminSite
  eventIntegration?: EventIntegration
}

/* What things are usually called by. */
const TITLES = ['title', 'name', 'label', 'username', 'subject', 'email', 'code', 'number', 'sku']

/**
 * One model in the admin site. Its key is the class name.
 */
export class ModelView {
  readonly model: LucidModel
  readonly name: string
  /** In the plural, as a heading: `Order lines` */
  readonly label: string
  /** One record, as a heading: `Order line` */
  readonly singular: string
  readonly icon: string | undefined
  readonly group: string | undefined
  readonly allowedActions: ReadonlySet<Action>
  readonly adminModel: boolean
  readonly resource: Resource
  readonly crud: LucidCrud
  readonly databaseConfig: DatabaseConfig
  readonly adminSite: AdminSite | undefined
  readonly eventIntegration: EventIntegration | undefined
  readonly bulkActions: readonly BulkAction[]
  readonly templates: NonNullable<AdminViewOptions['templates']>
  /** The options that the endpoints below `/crud` go by */
  readonly crudOptions: CrudOptions
  readonly options: AdminViewOptions
  /** The endpoints below `/crud` [S61] */
  readonly endpoints: EndpointCreator

  /**
   * @throws ValueError    when the schemas do not match the model, or an option names what there is not
   * @throws TypeError     when the model is no Lucid model
   * @throws RuntimeError  when the model's database connection does not exist
   */
  constructor(parameters: ModelViewParameters) {
    const { model, databaseConfig } = parameters
    if (!databaseConfig) throw new RuntimeError('A ModelView needs a databaseConfig')

    this.options = parameters
    this.crudOptions = mergedOptions(parameters)
    const named = model?.name ?? 'ModelView'
    checkViewOptions(named, parameters, parameters.adminSite?.templates)
    checkOptions({ ...this.crudOptions, model })
    this.resource = new Resource({
      ...this.crudOptions,
      ...settingsOf(this.crudOptions),
      model,
    })
    this.model = this.resource.model
    this.name = this.resource.name
    const words = string.sentenceCase(this.name)
    this.singular = parameters.singular ?? words
    this.label = parameters.label ?? string.plural(this.singular)
    this.icon = parameters.icon
    this.group = parameters.group
    this.adminModel = parameters.adminModel ?? false
    this.databaseConfig = databaseConfig
    this.adminSite = parameters.adminSite
    this.eventIntegration = parameters.eventIntegration
    this.templates = parameters.templates ?? {}
    this.crud = crudOf(this.crudOptions, this.resource)
    this.allowedActions = this.#checkedActions(parameters.allowedActions)
    this.bulkActions = makeBulkActions(this.name, parameters.bulkActions)
    this.#checkSchema('updateInternalSchema', parameters.updateInternalSchema)
    this.#checkNames()
    this.#noteFiles()
    this.endpoints = crudEndpoints(this)
  }

  /**
   * Whether the view has the action at all. What pages offer to somebody they ask `may` of
   * `permissions/`. [B14]
   */
  may(action: Action): boolean {
    return this.allowedActions.has(action)
  }

  /**
   * Whether the signed-in user may do anything with the model: the admin's own are for superusers.
   * [B13]
   */
  admits(ctx: HttpContext): boolean {
    return !this.adminModel || ctx.auth.use('admin').signedIn?.owner.isSuperuser === true
  }

  /**
   * Whether the signed-in user may see the model at all. [B13, P14]
   */
  async isVisibleTo(ctx: HttpContext): Promise<boolean> {
    return await may(ctx, this, 'view')
  }

  /**
   * The client that the view reads and writes with: the admin's own models live on the admin
   * connection, all others where the application has them. [S18]
   */
  client(): QueryClientContract {
    if (this.adminModel) return this.databaseConfig.adminSession()
    return this.model.connection
      ? db.connection(this.model.connection)
      : this.databaseConfig.applicationSession()
  }

  /**
   * What every operation of `crud` is called with: the client, who asks, and from where. [P14]
   */
  callOptions(ctx: HttpContext) {
    return {
      client: this.client(),
      actor: adminActor(ctx),
      origin: adminOrigin(ctx),
      room: roomOf(ctx),
    }
  }

  /**
   * A place of the view in the site, from the root of the server: `/` -> `/admin/Product/`.
   */
  url(path: string): string {
    const place = `/${this.name}${path}`
    return this.adminSite ? this.adminSite.url(place) : place
  }

  /**
   * What a field is called. [B17]
   */
  labelOf(wire: string): string {
    return this.fieldOptions(wire).label ?? wordsOf(wire)
  }

  fieldOptions(wire: string): FieldOptions {
    return this.options.fields?.[wire] ?? {}
  }

  /**
   * The column that records are called by, if one says it.
   */
  get titleColumn(): Column | undefined {
    const { title } = this.options
    if (typeof title === 'function') return undefined
    if (title !== undefined) return this.resource.columns.find(title)
    const texts = this.resource.fields.filter((column) => column.isText && !column.isPrimary)
    return texts.find(({ wire }) => TITLES.includes(wire)) ?? texts[0]
  }

  /**
   * What a record is called: `Casablanca`, or `Film 12` where nothing names it.
   *
   * @param item  as answers have it, read with its key if that is not given
   */
  titleOf(item: Item, key?: KeyValue): string {
    const { title } = this.options
    const own = typeof title === 'function' ? title(item) : item[this.titleColumn?.wire ?? '']
    const text = own === null || own === undefined ? '' : String(own).trim()
    if (!isInvisible(text)) return text
    return `${this.singular} ${(key ?? keyOf(item) ?? []).join(', ')}`.trim()
  }

  #checkSchema(option: string, schema: AdminViewOptions['updateInternalSchema']) {
    if (schema === undefined) return
    const { columns } = this.resource
    const unknown = new CompiledSchema(schema, option, this.name).fields
      .map(({ input }) => input)
      .filter((name) => !columns.find(name))
    if (unknown.length > 0) {
      throw new ValueError(
        `${this.name}: ${option} does not match the model: ${listed(unknown)} is no column; columns are ${listed(columns.all.map(({ wire }) => wire))}`
      )
    }
  }

  /** Every name of the options that stands for a column must be one that may be shown. */
  #checkNames() {
    const { listColumns, searchableColumns, defaultSort, title, fields } = this.options
    const shownNames = this.resource.fields.map(({ wire }) => wire)
    const computed = [...this.resource.computed.values()]
    const check = (option: string, names: Iterable<string>, valid: string[]) => {
      const unknown = [...names].filter((name) => !valid.includes(name))
      if (unknown.length > 0) {
        throw new ValueError(
          `${this.name}: ${option} names ${listed(unknown)}, which the view does not show; it shows ${listed(valid)}`
        )
      }
    }
    const own = [...(listColumns ?? [])].filter((one) => typeof one === 'string')
    check('listColumns', own, [...shownNames, ...computed])
    check('searchableColumns', searchableColumns ?? [], shownNames)
    if (defaultSort !== undefined) {
      check('defaultSort', [defaultSort.replace(/^-/, '')], shownNames)
    }
    if (typeof title === 'string') check('title', [title], shownNames)
    const known = this.resource.columns.all.map(({ wire }) => wire)
    check('fields', Object.keys(fields ?? {}), [
      ...known,
      ...computed,
      ...this.resource.virtualFields,
    ])

    const classes = [...(listColumns ?? [])].filter((one) => typeof one !== 'string')
    for (const Class of classes) {
      if (!((Class as any)?.prototype instanceof ListColumn)) {
        throw new ValueError(
          `${this.name}: listColumns holds ${shown(Class)}, which is neither a column's name nor a subclass of ListColumn`
        )
      }
    }
    checkListColumns(this.name, classes as Array<new () => ListColumn>, own, shownNames)
  }

  /** What a widget takes files for holds them everywhere, whatever the schemas say. [B17] */
  #noteFiles() {
    const fields = Object.entries(this.options.fields ?? {})
    const files = fields.filter(([, { widget }]) => widget === 'file')
    noteFileColumns(
      this.model,
      files.flatMap(([name]) => this.resource.columns.find(name) ?? [])
    )
  }

  #checkedActions(actions: Iterable<Action> | undefined): ReadonlySet<Action> {
    const chosen = new Set<Action>(actions ?? ACTIONS)
    for (const action of chosen) {
      if (!ACTIONS.includes(action)) {
        throw new ValueError(
          `${this.name}: allowedActions names '${action}', which is no action; actions are ${ACTIONS.join(', ')}`
        )
      }
    }
    return chosen
  }
}

/** What the view says, and behind it what `@Crud` does. [P13] */
function mergedOptions(parameters: ModelViewParameters): CrudOptions {
  const own = crudOptionsOf(parameters.model) ?? {}
  return {
    ...own,
    createSchema: parameters.createSchema ?? own.createSchema,
    updateSchema: parameters.updateSchema ?? own.updateSchema,
    deleteSchema: parameters.deleteSchema ?? own.deleteSchema,
    selectSchema: parameters.selectSchema ?? own.selectSchema,
    endpointCreator: parameters.endpointCreator ?? own.endpointCreator,
    crud: parameters.crud ?? own.crud,
    virtualFields: parameters.virtualFields ?? own.virtualFields,
  }
}

/** `release_date` -> `Release date`, `id` -> `ID`, `distributor_id` -> `Distributor`. */
function wordsOf(wire: string): string {
  if (wire === 'id') return 'ID'
  return string.sentenceCase(wire.replace(/_id$/, '')) || wire
}
