import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { LucidCrud, RuntimeError, ValueError } from '#crud'
import { crudOptionsOf } from '#crud/decorator'
import type { ObjectSchema } from '#crud/resource/object_schema'
import { Resource } from '#crud/resource/resource'
import type { AdminSite } from './admin_site.js'
import type { DatabaseConfig } from './database_config.js'
import type { EventIntegration } from './events/event_integration.js'

export const ACTIONS = ['view', 'create', 'update', 'delete'] as const

export type Action = (typeof ACTIONS)[number]

/**
 * The options of `@AdminView`. All of them may be left out. [P13]
 */
export interface AdminViewOptions {
  /** What may be done in the admin site. Default: everything */
  allowedActions?: Iterable<Action>
  /** Body and form of create. Default: `@Crud`'s, else derived from the table */
  createSchema?: ObjectSchema
  /** Body and form of update. Default: `@Crud`'s, else derived from the table */
  updateSchema?: ObjectSchema
  updateInternalSchema?: ObjectSchema
  deleteSchema?: ObjectSchema
  selectSchema?: ObjectSchema
  /** What the model is called, in the plural. Default: the class name */
  label?: string
  /** The group of the sidebar that it stands in */
  group?: string
}

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

/**
 * One model in the admin site. Its key is the class name.
 */
export class ModelView {
  readonly model: LucidModel
  readonly name: string
  readonly label: string
  readonly group: string | undefined
  readonly allowedActions: ReadonlySet<Action>
  readonly adminModel: boolean
  readonly resource: Resource
  readonly crud: LucidCrud
  readonly databaseConfig: DatabaseConfig
  readonly adminSite: AdminSite | undefined
  readonly eventIntegration: EventIntegration | undefined

  /**
   * @throws ValueError    when the schemas do not match the model, or an action does not exist
   * @throws TypeError     when the model is no Lucid model
   * @throws RuntimeError  when the model's database connection does not exist
   */
  constructor(parameters: ModelViewParameters) {
    const { model, databaseConfig } = parameters
    if (!databaseConfig) throw new RuntimeError('A ModelView needs a databaseConfig')

    const own = crudOptionsOf(model)
    this.resource = new Resource({
      ...own,
      createSchema: parameters.createSchema ?? own?.createSchema,
      updateSchema: parameters.updateSchema ?? own?.updateSchema,
      selectSchema: parameters.selectSchema ?? own?.selectSchema,
      model,
    })
    this.model = this.resource.model
    this.name = this.resource.name
    this.label = parameters.label ?? this.name
    this.group = parameters.group
    this.adminModel = parameters.adminModel ?? false
    this.databaseConfig = databaseConfig
    this.adminSite = parameters.adminSite
    this.eventIntegration = parameters.eventIntegration
    this.crud = new LucidCrud(this.model).bind(this.resource)
    this.allowedActions = this.#checkedActions(parameters.allowedActions)
  }

  may(action: Action): boolean {
    return this.allowedActions.has(action)
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
