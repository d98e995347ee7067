import type { HttpContext } from '@adonisjs/core/http'
import string from '@adonisjs/core/helpers/string'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import {
  RuntimeError,
  ValueError,
  type EndpointCreator,
  type LucidCrud,
  type CrudOptions,
  type Item,
  type Resource,
} from '#crud'
import { responseBudgetOf, crudOptionsOf, noteFileColumns, resourceAndCrud } from '#crud/internals'
import { keyOf } from '#base/items'
import type { PivotRelation } from '#base/lucid/pivot_relation'
import { noteTransitions } from '#base/columns/transitions'
import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import { adminActor, adminOrigin, operatorOf } from '../identity/admin_actor.js'
import { type BulkAction, makeBulkActions } from './bulk_action.js'
import { actionsOnEach, makeRecordActions, type RecordAction } from './record_action.js'
import { ROLE_ACTIONS } from '../models/permissions_document.js'
import { checkNames, checkViewOptions, type Templates } from './view_checks.js'
import { crudEndpoints } from './crud_endpoints.js'
import type { DatabaseConfig } from '../config/database_config.js'
import { fillPlaces } from './row_order.js'
import { isRelated, relatedLabel, withSeenColumns } from './related_columns.js'
import type { EventDispatcher } from '../events/event_dispatcher.js'
import type { EventIntegration } from '../events/event_integration.js'
import type { RequestEvent } from '../events/request_event.js'
import { titleColumns, titleIn } from './title_template.js'
import { isInvisible, wordsOf } from '../text/plain_text.js'
import { ACTIONS, type Action, type Offer } from '../permissions/offers.js'
import { may } from '../permissions/may.js'
import { personalView } from '../permissions/personal_view.js'
import type { RolePermissions } from '../permissions/role_permissions.js'
import { manyToManyError, manyToManyRelations } from './relation_options.js'
import type { AdminViewOptions, FieldOptions } from './view_options.js'
import { guardOf } from '../identity/admin_guard.js'

export { ACTIONS, type Action } from '../permissions/offers.js'
export type { AdminViewOptions } from './view_options.js'

/**
 * The parts of the site that a view uses.
 */
export interface ViewSite {
  readonly models: ReadonlyMap<string, ModelView>
  readonly templates: Templates
  readonly eventIntegration: EventIntegration | undefined
  readonly events: EventDispatcher
  readonly permissions: RolePermissions
  logEvent(ctx: HttpContext, event: RequestEvent): void
  url(path: string): string
}

/** Parameters of a view: the options of `@AdminView` and values that the site adds. */
export interface ModelViewParameters extends AdminViewOptions {
  databaseConfig: DatabaseConfig
  model: LucidModel
  /** True for the admin site's own models, which use the admin connection */
  adminModel?: boolean
  adminSite?: ViewSite
}

/**
 * A model in the admin site, identified by its class name. It has many members because each page of the model reads its
 * options, actions and titles here, as far as the roles of the user allow.
 */
export class ModelView {
  readonly model: LucidModel
  readonly name: string
  /** Plural heading, such as `Order lines` */
  readonly label: string
  /** Singular heading, such as `Order line` */
  readonly singular: string
  readonly icon: string | undefined
  readonly group: string | undefined
  readonly allowedActions: ReadonlySet<Action>
  readonly adminModel: boolean
  readonly resource: Resource
  readonly crud: LucidCrud
  readonly databaseConfig: DatabaseConfig
  readonly adminSite: ViewSite | undefined
  readonly bulkActions: readonly BulkAction[]
  readonly recordActions: readonly RecordAction[]
  /** Many-to-many relations that are fields of forms */
  readonly manyToMany: readonly PivotRelation[]
  readonly templates: NonNullable<AdminViewOptions['templates']>
  readonly options: AdminViewOptions
  /** True if the list has columns of related records, such as `customer.city` */
  private readonly listsRelated: boolean
  /** The endpoints below `/crud` */
  readonly endpoints: EndpointCreator

  /**
   * @throws ValueError    if a schema does not match the model or an option contains an unknown column
   * @throws TypeError     if the model is not a Lucid model
   * @throws RuntimeError  if the model's database connection does not exist
   */
  constructor(parameters: ModelViewParameters) {
    const { model, databaseConfig } = parameters
    if (!databaseConfig) throw new RuntimeError('A ModelView needs a databaseConfig')

    const { defaultSort = parameters.orderBy } = parameters
    this.options = { ...parameters, defaultSort }
    const crudOptions = mergedOptions(parameters)
    const named = model?.name ?? 'ModelView'
    checkViewOptions(named, parameters, parameters.adminSite?.templates)
    if (parameters.transitions) noteTransitions(model, parameters.transitions)
    const { crud, resource } = resourceAndCrud({ ...crudOptions, model })
    this.crud = crud
    this.resource = resource
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
    this.templates = parameters.templates ?? {}
    this.allowedActions = this.#checkedActions(parameters.allowedActions)
    const bulk = makeBulkActions(this.name, parameters.bulkActions)
    const taken = [...ROLE_ACTIONS, ...bulk.map(({ name }) => name)]
    this.recordActions = makeRecordActions(this.name, parameters.recordActions, taken)
    this.bulkActions = [...bulk, ...actionsOnEach(this.recordActions)]
    this.manyToMany = this.#manyToMany(parameters.manyToMany)
    checkNames(this)
    this.listsRelated = [...(parameters.listColumns ?? [])].some(isRelated)
    this.#noteFiles()
    if (this.orderColumn) fillPlaces(this.resource, this.orderColumn)
    this.endpoints = crudEndpoints(this, crudOptions)
  }

  /**
   * Returns the view limited by the roles of the signed-in user: without columns, actions and records that the user
   * has no permission for. Users with the same permissions share an instance.
   */
  async for(ctx: HttpContext): Promise<ModelView> {
    const view = await personalView(ctx, this.base)
    return this.listsRelated ? await withSeenColumns(ctx, view) : view
  }

  /** The unrestricted view of the site */
  get base(): ModelView {
    return this
  }

  /**
   * True if the roles of the user do not allow viewing the model; its pages then respond like those of an unknown
   * model.
   */
  get isWithheld(): boolean {
    return false
  }

  /**
   * Returns true if the view has the action and, for the view of a user, the user's roles allow it on at least one
   * record. Pages authorize single records with `may` of `permissions/`.
   */
  may(offer: Offer): boolean {
    const action = actionOf(offer)
    return this.allowedActions.has(action) && !(this.resource.readOnly && action !== 'view')
  }

  /**
   * Returns true if the signed-in user is allowed to use the model. The admin site's own models are limited to
   * superusers.
   */
  admits(ctx: HttpContext): boolean {
    if (!this.adminModel || operatorOf(ctx)) return true
    return guardOf(ctx).signedIn?.owner.isSuperuser === true
  }

  /** Returns true if the signed-in user is allowed to view the model. */
  async isVisibleTo(ctx: HttpContext): Promise<boolean> {
    return await may(ctx, this, 'view')
  }

  /**
   * Returns the query client of the view: over the admin connection for the admin site's own models, over the
   * application's connection for all others.
   */
  client(): QueryClientContract {
    if (this.adminModel) return this.databaseConfig.adminSession()
    return this.model.connection
      ? db.connection(this.model.connection)
      : this.databaseConfig.applicationSession()
  }

  /** Returns the options of every `crud` call, such as the query client, the actor and the origin. */
  callOptions(ctx: HttpContext) {
    return {
      client: this.client(),
      actor: operatorOf(ctx) ?? adminActor(ctx),
      origin: adminOrigin(ctx),
      budget: responseBudgetOf(ctx),
      showsDeleted: true,
    }
  }

  /** Returns the URL of a path in the view, without the host: `/` -> `/admin/Product/`. */
  url(path: string): string {
    const place = `/${this.name}${path}`
    return this.adminSite ? this.adminSite.url(place) : place
  }

  /** Returns the label of a field, or of a field of related records such as `customer.city`. */
  labelOf(apiName: string): string {
    if (isRelated(apiName)) return relatedLabel(this, apiName)
    return this.fieldOptions(apiName).label ?? wordsOf(apiName)
  }

  fieldOptions(apiName: string): FieldOptions {
    return this.options.fields?.[apiName] ?? {}
  }

  /** The column that stores the order of the records, if the view has one and the user can see it */
  get orderColumn(): Column | undefined {
    const { orderBy } = this.options
    return this.resource.fields.find(({ apiName }) => apiName === orderBy)
  }

  /** The column that contains the title of records, or the beginning of it, if there is one. */
  get titleColumn(): Column | undefined {
    return this.titleColumns[0]
  }

  /**
   * The columns that make the title of records: several for a template, none for a function. Columns that the user
   * cannot see are left out.
   */
  get titleColumns(): readonly Column[] {
    return titleColumns(this.resource, this.options.title)
  }

  /**
   * Returns the title of a record: `Casablanca`, or `Film 12` without a title column.
   *
   * @param item  item in the format of the API
   * @param key   key of the item; default: the key that was read with it
   */
  titleOf(item: Item, key?: KeyValue): string {
    const text = titleIn(item, this.options.title, this.titleColumns)
    if (!isInvisible(text)) return text
    return `${this.singular} ${(key ?? keyOf(item) ?? []).join(', ')}`.trim()
  }

  /**
   * Returns the many-to-many fields of the model; none for the admin site's own models, whose forms have custom
   * fields for them.
   */
  #manyToMany(option: Iterable<string> | undefined): PivotRelation[] {
    if (this.adminModel) return []
    const { columns, computed, virtualFields } = this.resource
    const names = columns.all.map(({ apiName }) => apiName)
    const taken = [...names, ...computed.values(), ...virtualFields]
    const error = manyToManyError(this.model, option ?? [], taken)
    if (error !== null) throw new ValueError(`${this.name}: ${error}`)
    return manyToManyRelations(this.model, option, taken)
  }

  /** Marks columns with a file upload widget as file columns, regardless of the schemas. */
  #noteFiles() {
    const fields = Object.entries(this.options.fields ?? {})
    const files = fields.filter(([, { widget }]) => widget === 'file' || widget === 'image')
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
          `${this.name}: allowedActions names '${action}', which is not an action; actions are ${ACTIONS.join(', ')}`
        )
      }
    }
    return chosen
  }
}

/** Returns the CRUD options of the view, which override those of `@Crud`. */
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
    transitions: parameters.transitions ?? own.transitions,
  }
}

/** Returns the view's action that an offer requires. */
function actionOf(offer: Offer): Action {
  if (offer === 'read' || offer === 'export') return 'view'
  return offer === 'purge' || offer === 'restore' ? 'delete' : offer
}
