import { defineConfig } from '#crud'

/**
 * The generated REST endpoints. What one model needs differently stands in its own `@Crud({ ... })`.
 */
export default defineConfig({
  /**
   * Where all generated endpoints lie. A model's own path is appended: `/api/products`.
   */
  prefix: '/api',

  /**
   * Who may call an endpoint whose model says nothing of it: 'public' or 'token'.
   */
  access: 'public',

  /**
   * What an unknown query parameter does: false ignores it, true answers 422 and names the nearest
   * parameter that exists.
   */
  strictQuery: false,

  pagination: {
    /** Items of a list without paging parameters */
    limit: 100,
    /** Items of a page when only `page` is given */
    itemsPerPage: 10,
    /** The most that `limit` and `itemsPerPage` can ask for; more is lowered to it */
    maximum: 1000,
  },

  body: {
    /** The largest body in bytes; a larger one is answered with 413 */
    limit: 1024 * 1024,
    /** How deep JSON may nest; deeper is answered with 400 */
    depth: 32,
  },
})
