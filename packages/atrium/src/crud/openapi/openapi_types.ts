/* The part of OpenAPI 3.1 that the engine uses. */

/**
 * A JSON Schema in the 2020-12 dialect.
 */
export interface SchemaObject {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  examples?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  properties?: Record<string, SchemaObject>
  required?: string[]
  items?: SchemaObject | boolean
  prefixItems?: SchemaObject[]
  anyOf?: SchemaObject[]
  additionalProperties?: SchemaObject | boolean
  [keyword: string]: unknown
}

export type Reference = { $ref: string }

export interface ParameterObject {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  /** How an array is written: `form` without `explode` separates its items by commas */
  style?: 'form'
  explode?: boolean
  schema: SchemaObject
}

export interface HeaderObject {
  description: string
  required?: boolean
  schema: SchemaObject
}

interface MediaType {
  schema?: SchemaObject
  example?: unknown
}

export interface ResponseObject {
  description: string
  headers?: Record<string, HeaderObject | Reference>
  content?: Record<string, MediaType>
}

export interface RequestBody {
  required: boolean
  description?: string
  content: Record<string, MediaType>
}

export interface OperationObject {
  'operationId': string
  'summary': string
  'description'?: string
  'tags': string[]
  'parameters'?: Array<ParameterObject | Reference>
  'requestBody'?: RequestBody
  'responses': Record<string, ResponseObject | Reference>
  'security': Array<Record<string, string[]>>
  /** Abilities of access tokens; one for each kind of operation that a batch offers */
  'x-abilities'?: string[]
  'deprecated'?: boolean
}

export type PathItem = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', OperationObject>>

/** Title and version of the API, and who offers it */
export interface ApiInfo {
  title: string
  version: string
  contact?: { name?: string; url?: string; email?: string }
  license?: { name: string; identifier?: string; url?: string }
}

export interface OpenApiDocument {
  openapi: string
  info: ApiInfo & { description: string }
  servers: Array<{ url: string }>
  tags: Array<{ name: string; description: string }>
  paths: Record<string, PathItem>
  components: {
    schemas: Record<string, SchemaObject>
    parameters: Record<string, ParameterObject>
    headers: Record<string, HeaderObject>
    responses: Record<string, ResponseObject>
    securitySchemes: Record<string, Record<string, string>>
  }
}

/**
 * Description of a custom route in the API schema; all properties are optional. It has no effect on the handler, which
 * can read and return any data.
 */
export interface RouteDescription {
  /** Default: derived from method, model and path, such as `getFilmsLongest` */
  operationId?: string
  summary?: string
  description?: string
  /** Query parameters, as JSON Schemas */
  query?: Record<string, SchemaObject>
  /** The JSON body: a VineJS schema or a JSON Schema */
  body?: object
  /**
   * The JSON response: an item or a list of the model, a VineJS schema or a JSON Schema; `null` for none. Default:
   * anything
   */
  response?: 'item' | 'list' | object | null
  /** Status of the response. Default: 200, or 204 without a body */
  status?: number
}
