import { RequestValue } from '#base/http/request_value'
import type { Resource } from '../resource/resource.js'

/** The model that a request is about, as its caller may see it or not. */
export const requestSubject = new RequestValue<Resource>('subject')
