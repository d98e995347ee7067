import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { LucidCrud } from '../lucid_crud.js'
import type { Operation } from '../operations/operation.js'
import type { ResourceOptions } from '../resource/resource.js'
import type { Access, ColumnSettings, EndpointMiddleware, EndpointName } from '../types.js'

type LucidCrudClass = new (model: any, settings?: ColumnSettings) => LucidCrud<any>

/** The options of `@Crud` about the endpoints. [P4] */
export interface EndpointOptions extends ResourceOptions {
  /** Path below the prefix of `config/crud.ts`. Default: the dashed table name [P5] */
  path?: string
  /** The database client to use for a request. Default: the model's connection [P8] */
  session?: (ctx: HttpContext) => QueryClientContract
  /** The CRUD object, or a subclass of `LucidCrud` [P8] */
  crud?: LucidCrud<any> | LucidCrudClass
  /** Offers only these operations [S6] */
  includedMethods?: Iterable<Operation>
  /** Offers all operations but these [S7] */
  deletedMethods?: Iterable<Operation>
  /** True to offer creates, updates and deletions in one request, all or nothing [D4] */
  batch?: boolean
  /** Path segments of operations; the others keep their defaults [S9] */
  endpointNames?: Partial<Record<EndpointName, string>>
  /** Middleware of single operations */
  middleware?: Partial<Record<Operation, Iterable<EndpointMiddleware>>>
  /** Access to the endpoints. Default: `access` of `config/crud.ts` [P10] */
  access?: Access | Partial<Record<Operation, Access>>
}

/** Endpoint options together with their model. */
export interface ModelEndpointOptions extends EndpointOptions {
  model: LucidModel
}
