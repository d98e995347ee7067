import { defineConfig } from 'adonis-atrium'
import { DEMO_MIGRATIONS, DEMO_MODELS } from '#database/demo_files'
import env from '#start/env'

const hasDemo = env.get('DEMO', true)

/** The settings of the generated REST endpoints. A model's own `@Crud({ ... })` overrides them. */
export default defineConfig({
  /** Path prefix of all generated endpoints. A model's own path is appended: `/api/products`. */
  prefix: '/api',

  /** Files below app/models without endpoints and pages, and migrations that are not run */
  excludedModels: hasDemo ? [] : DEMO_MODELS,
  excludedMigrations: hasDemo ? [] : DEMO_MIGRATIONS,

  /**
   * Access to endpoints whose model sets no `access`: 'public' or 'token'. Tokens are created with `node
   * ace admin:token`. null: public in development; in production a token is required, and the start
   * lists the models without `access`.
   */
  access: null,

  /**
   * Maximum requests of a token, or of an address without a valid token, in a number of seconds: `{
   * requests: 100, seconds: 60 }`. They are counted where `limiter` of config/admin.ts says.
   */
  rateLimit: null,

  /**
   * Unknown query parameters: false ignores them, true returns 422 and names the nearest parameter that
   * exists.
   */
  strictQuery: false,

  /**
   * Unknown fields in the body of a create or an update: false ignores them, true returns 422 and names
   * the nearest field that exists.
   */
  strictBody: false,

  /**
   * Users who can read the API schema (OpenAPI 3.1, at `openapi.json` below the prefix) and the page to read it and to try calls:
   * 'public'; 'token': owners of a valid token, with any abilities, for which the page asks and which it forgets when it is
   * closed; 'off'. null: public in development, a token in production. The home page lists the models only if it is public.
   */
  docs: null,

  /** Path of that page */
  docsPath: '/docs',

  /** Title and version in the schema. Default: those of package.json */
  openapi: {
    title: null,
    version: null,
  },

  pagination: {
    /** Items of a list without paging parameters */
    limit: 100,
    /** Items of a page when only `page` is given */
    itemsPerPage: 10,
    /** Maximum of `limit` and `itemsPerPage`; a higher value is lowered to it */
    maximum: 1000,
    /** Maximum items of one relation that `include` adds to a response; more are a 422 */
    included: 10_000,
    /** Maximum items of one relation in each record, where `include` of `@Crud` says no `limit` */
    includedPerRecord: 100,
  },

  body: {
    /** Maximum size of a body in bytes; a larger one is a 413 */
    limit: 1024 * 1024,
    /** Maximum nesting of JSON; a deeper one is a 400 */
    depth: 32,
  },

  limits: {
    /**
     * Maximum characters of a text whose column has no length, if the schema is derived from the table;
     * a model's own schema has its own limits
     */
    text: 100_000,
    /** Maximum rows of a list that is returned as CSV or NDJSON */
    export: 100_000,
    /** Maximum bytes of the values of one response; a larger one is a 413 */
    response: 32 * 1024 * 1024,
    /**
     * Maximum bytes of the values of all responses that a process is reading, writing or sending; further
     * ones wait for a moment, then get 503. The memory needed is two to three times as much.
     */
    responses: 96 * 1024 * 1024,
  },

  idempotency: {
    /** Hours for which a create that is repeated with its `Idempotency-Key` gets its first response */
    hours: 24,
  },

  server: {
    /**
     * Seconds that a shutdown may take in all; requests get all but the last three. Longer than the
     * slowest request, and shorter than the limit of the process manager (Docker: 10).
     */
    graceSeconds: 8,
    /** Seconds for a request's headers, and for the whole request, to arrive; then 408 */
    headersSeconds: 20,
    requestSeconds: 120,
    /** Seconds in which a client may read nothing of its response; then the connection is closed */
    writeSeconds: 30,
    /** Seconds that a connection stays open after a response: longer than a proxy in front keeps it */
    idleSeconds: 65,
  },
})
