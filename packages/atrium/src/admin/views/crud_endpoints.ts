import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import {
  ValueError,
  type EndpointCreator,
  type LucidCrud,
  type Operation,
  type Resource,
  type CrudOptions,
  type CrudRouterOptions,
} from '#crud'
import { creatorOf } from '#crud/internals'
import { adminActor } from '../identity/admin_actor.js'
import { NotAllowed } from '../http/errors.js'
import type { Action } from '../permissions/offers.js'

/** The properties of a view that the endpoints use. */
interface MountedView {
  readonly name: string
  readonly model: LucidModel
  readonly resource: Resource
  readonly crud: LucidCrud
  readonly allowedActions: ReadonlySet<Action>
  readonly adminSite: { models: ReadonlyMap<string, OtherView> } | undefined
  admits(ctx: HttpContext): boolean
  client(): QueryClientContract
  url(path: string): string
}

interface OtherView {
  readonly model: LucidModel
  isVisibleTo(ctx: HttpContext): Promise<boolean>
}

/* Purging requires the permission to delete, regardless of the deleteSchema. */
const OPERATIONS: Record<Action, Operation[]> = {
  view: ['read', 'read_multi'],
  create: ['create'],
  update: ['update'],
  delete: ['delete', 'db_delete'],
}

/**
 * Creates the endpoints of a view, below `/crud` of the view. They equal the endpoints of the model, except for the
 * path, the access and the list of operations.
 *
 * @param options  options of the model's endpoints
 * @throws ValueError  if the option `endpointCreator` is not valid
 */
export function crudEndpoints(view: MountedView, options: CrudOptions): EndpointCreator {
  const { model, resource, crud } = view
  const Creator = creatorOf({ ...options, model })
  const creator = new Creator(sharedOptions(model, options), {
    path: view.url('/crud'),
    resource,
    crud,
    operations: [...view.allowedActions].flatMap((action) => OPERATIONS[action]),
    authorizer: {
      async authorize(ctx, { model: requested }) {
        const actor = adminActor(ctx)
        const isAllowed =
          requested === model ? view.admits(ctx) : await isVisible(view, requested, ctx)
        if (!isAllowed) throw new NotAllowed()
        return actor
      },
    },
    session: () => view.client(),
  })
  if (creator.resource !== resource) {
    throw new ValueError(
      `${view.name}: the constructor of ${Creator.name} does not pass its arguments on, so its endpoints would be outside of the admin site; write constructor(...given) { super(...given) }`
    )
  }
  creator.planRoutes()
  return creator
}

/**
 * Returns whether records of another model can be included, which requires that the viewer is allowed to see that
 * model.
 */
async function isVisible(
  { adminSite }: MountedView,
  model: LucidModel,
  ctx: HttpContext
): Promise<boolean> {
  const other = [...(adminSite?.models.values() ?? [])].find((one) => one.model === model)
  return (await other?.isVisibleTo(ctx)) ?? false
}

/** Returns the options of the model's endpoints without path, access and list of operations. */
function sharedOptions(model: LucidModel, options: CrudOptions): CrudRouterOptions {
  const {
    path,
    session,
    includedMethods,
    deletedMethods,
    endpointNames,
    endpointCreator,
    middleware,
    access,
    ...shared
  } = options
  return { ...shared, model }
}
