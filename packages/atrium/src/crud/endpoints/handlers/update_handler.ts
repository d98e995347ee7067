import type { HttpContext } from '@adonisjs/core/http'
import { readBody } from '#base/http/body'
import { preferredReturn } from '../../http/prefer.js'
import { reply } from '../../http/reply.js'
import { queryOf } from '../../request/query_string.js'
import { checkWriteQuery } from '../../request/strict_query.js'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import { parseUpdate } from '#base/schema/parse_update'
import { crudConfig } from '../../settings.js'
import type { Item } from '../../types.js'
import type { EndpointAccess } from '../endpoint_access.js'

interface UpdateHandlerOptions {
  resource: Resource
  access: EndpointAccess
  key: () => KeyValue
  /** Reads the item as it is */
  fetch: (key: KeyValue) => Promise<Item | null>
  change: (
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean
  ) => Promise<Item | null>
}

/** PATCH: changes the fields in the body. [A3] */
export async function handleUpdate(
  ctx: HttpContext,
  { access, change, fetch, key: keyOf, resource }: UpdateHandlerOptions
): Promise<null | void> {
  checkWriteQuery(queryOf(ctx), crudConfig())
  const key = keyOf()
  const body = await readBody(ctx, crudConfig().body)
  const { strictBody } = crudConfig()
  const values = await parseUpdate(resource.updateBody, {
    body,
    meta: { operation: 'update', key },
    isStrict: strictBody,
    stored: async () => ((await access.mayRead(ctx)) ? await fetch(key) : null),
  })
  const wanted = preferredReturn(ctx)
  const returning = wanted === 'representation' && (await access.mayRead(ctx))
  const item = await change(key, values, returning)

  const isApplied = wanted === 'minimal' || (returning && item !== null)
  if (isApplied) ctx.response.header('preference-applied', `return=${wanted}`)
  if (wanted === 'minimal') ctx.response.status(204).send('')
  else reply(ctx, item)
}
