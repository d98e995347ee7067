import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidCrud } from '../lucid_crud.js'
import type { Operation } from '../operations/operation.js'
import type { Resource } from '../resource/resource.js'
import type { Authorizer } from './access.js'

/**
 * Path and authorizer of endpoints that another part of the application offers a second time, apart from
 * the model's own options. [S61]
 */
export interface EndpointMount {
  /** Full path, as in `/admin/Product/crud` */
  path: string
  resource: Resource
  crud: LucidCrud
  operations: Iterable<Operation>
  authorizer: Authorizer
  session: (ctx: HttpContext) => QueryClientContract
}
