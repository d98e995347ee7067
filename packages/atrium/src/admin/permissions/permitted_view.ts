import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { CallOptions, LucidCrud, Resource } from '#crud'
import type { Column } from '#base/columns/column'
import type { AdminViewOptions } from '../view_options.js'
import type { Offer } from './offers.js'
import type { RolePermissions } from './role_permissions.js'

/**
 * The parts of a view that its permissions use.
 */
export interface PermittedView {
  readonly name: string
  readonly resource: Resource
  readonly crud: Pick<LucidCrud, 'allows' | 'reached'>
  readonly isWithheld: boolean
  may(offer: Offer): boolean
  admits(ctx: HttpContext): boolean
  callOptions(ctx: HttpContext): CallOptions & { client: QueryClientContract }
  /** The view of the signed-in user, of the same class */
  for(ctx: HttpContext): Promise<PermittedView>
}

/**
 * The parts of a view that the roles of a user narrow.
 */
export interface NarrowedView extends PermittedView {
  readonly adminSite: { readonly permissions: RolePermissions } | undefined
  readonly allowedActions: ReadonlySet<string>
  readonly titleColumn: Column | undefined
  readonly bulkActions: ReadonlyArray<{ readonly name: string; readonly needs: Offer }>
  readonly options: AdminViewOptions
  client(): QueryClientContract
}
