import type { Access } from './types.js'
import { ValueError } from './errors.js'

/**
 * The settings of the generated endpoints, as `config/crud.ts` holds them.
 */
export interface CrudConfig {
  /** Where all generated endpoints lie, as in `/api` */
  prefix: string
  /** Who may call an endpoint whose model says nothing of it */
  access: Access
  /** Whether an unknown query parameter is a 422 [A19] */
  strictQuery: boolean
  pagination: {
    /** Items of a list without paging parameters [A10] */
    limit: number
    /** Items of a page when only `page` is given [A11] */
    itemsPerPage: number
    /** The most that can be asked for [A13] */
    maximum: number
  }
  body: {
    /** Bytes of the largest body [A6] */
    limit: number
    /** Levels that JSON may nest [A29] */
    depth: number
  }
}

type PartialConfig = Partial<Omit<CrudConfig, 'pagination' | 'body'>> & {
  pagination?: Partial<CrudConfig['pagination']>
  body?: Partial<CrudConfig['body']>
}

/**
 * Fills in the defaults.
 *
 * @throws ValueError  when a number is no positive integer
 */
export function defineConfig(config: PartialConfig = {}): CrudConfig {
  const filled: CrudConfig = {
    prefix: normalisePrefix(config.prefix ?? '/api'),
    access: config.access ?? 'public',
    strictQuery: config.strictQuery ?? false,
    pagination: { limit: 100, itemsPerPage: 10, maximum: 1000, ...config.pagination },
    body: { limit: 1024 * 1024, depth: 32, ...config.body },
  }

  for (const group of ['pagination', 'body'] as const) {
    for (const [name, value] of Object.entries(filled[group])) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new ValueError(
          `config/crud.ts: ${group}.${name} is ${value}, and must be a positive integer`
        )
      }
    }
  }
  if (filled.access !== 'public' && filled.access !== 'token') {
    throw new ValueError(
      `config/crud.ts: access is '${filled.access}', and must be 'public' or 'token'`
    )
  }
  return filled
}

/** "/api/", "api" and "/api" are the same place; "/" and "" are the root. */
function normalisePrefix(prefix: string): string {
  const path = prefix.replace(/^\/+|\/+$/g, '')
  return path === '' ? '' : `/${path}`
}
