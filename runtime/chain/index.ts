export { runInterceptionChain } from './chain.js';
export { ChainError, type ChainErrorCode } from './errors.js';
export type {
  Candidate,
  ChainElicitation,
  ChainEnd,
  ChainFailure,
  ChainOptions,
  ChainOutcome,
  ChainState,
  ChainSubscription,
  Delivery,
  FailureCode,
  FailurePolicy,
  Flow,
  Injection,
  InterceptorOf,
  InterceptorSubscription,
  Materialization,
  ObserverSubscription,
  Permission,
  Preparation,
} from './types.js';
