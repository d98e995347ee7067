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
   * Who may call an endpoint whose model says nothing of it: 'public' or 'token'. Tokens are made with
   * `node ace admin:token`. null: everybody in development; in production only who has a token, and the
   * start names the models that nobody has decided about.
   */
  access: null,

  /**
   * How many requests a token may send in so many seconds, or an address without a valid token:
   * `{ requests: 100, seconds: 60 }`. They are counted in the store of config/limiter.ts.
   */
  rateLimit: null,

  /**
   * What an unknown query parameter does: false ignores it, true answers 422 and names the nearest
   * parameter that exists.
   */
  strictQuery: false,

  /**
   * What an unknown field in the body of a create or an update does: false ignores it, true answers 422
   * and names the nearest field that exists.
   */
  strictBody: false,

  /**
   * The API schema (OpenAPI 3.1), at `openapi.json` below the prefix. `access: 'token'` shows it to
   * holders of a valid token alone, whatever that may do. `title` and `version` are those of
   * package.json where they are null.
   */
  openapi: {
    enabled: true,
    access: 'public',
    title: null,
    version: null,
  },

  /**
   * The page to read the schema and to try calls; there is none without a schema. Where page or schema
   * are behind a token, the page asks for one first, and forgets it when it is left.
   */
  docs: {
    enabled: true,
    access: 'public',
    path: '/docs',
  },

  pagination: {
    /** Items of a list without paging parameters */
    limit: 100,
    /** Items of a page when only `page` is given */
    itemsPerPage: 10,
    /** The most that `limit` and `itemsPerPage` can ask for; more is lowered to it */
    maximum: 1000,
    /** The most items of one relation that `include` embeds in an answer; more are a 422 */
    included: 10_000,
  },

  body: {
    /** The largest body in bytes; a larger one is answered with 413 */
    limit: 1024 * 1024,
    /** How deep JSON may nest; deeper is answered with 400 */
    depth: 32,
  },

  limits: {
    /**
     * The most characters of a text whose column has no length of its own, where the schema is derived
     * from the table; a model's own schema decides for itself
     */
    text: 100_000,
    /** The most bytes that the values of one answer may have; a larger one is a 413 */
    answer: 32 * 1024 * 1024,
    /**
     * The same of all answers that a process is reading, writing or sending at a time; others wait for a
     * moment, and get 503 then. The memory takes two to three times as much.
     */
    answers: 96 * 1024 * 1024,
  },

  idempotency: {
    /** For how many hours a create that is sent again with its `Idempotency-Key` gets its first answer */
    hours: 24,
  },

  server: {
    /**
     * Seconds that a stop may take in all; requests get it but for the last three. Longer than the
     * slowest request, and shorter than the patience of what stops the process (Docker: 10).
     */
    graceSeconds: 8,
    /** Seconds that a request's headers, and all of it, may take to arrive; then 408 */
    headersSeconds: 20,
    requestSeconds: 120,
    /** Seconds for which a client may take nothing of its answer; then the connection is closed */
    writeSeconds: 30,
    /** Seconds that a connection is kept after an answer: longer than a proxy in front keeps it */
    idleSeconds: 65,
  },
})
