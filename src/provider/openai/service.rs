//! What stands between `async-openai` and the network.
//!
//! An error status, a broken connection or a body that is no JSON leaves here as a [`Fault`]; the crate only
//! ever sees a JSON answer, so it has nothing to retry and nothing to log.

use crate::provider::{Fault, http::Http};
use async_openai::{error::OpenAIError, middleware::HttpRequestFactory};
use futures_util::future::BoxFuture;
use reqwest::Response;
use std::task::{Context, Poll};
use tower_service::Service;

#[derive(Clone)]
pub(super) struct Exchange(Http);

impl Exchange {
    pub(super) fn new(http: Http) -> Self {
        Self(http)
    }
}

impl Service<HttpRequestFactory> for Exchange {
    type Response = Response;
    type Error = OpenAIError;
    type Future = BoxFuture<'static, Result<Response, OpenAIError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let http = self.0.clone();
        Box::pin(async move {
            let request = factory.build().await?;
            let text = http.exchange(request).await.map_err(boxed)?;
            Ok(http::Response::new(text).into())
        })
    }
}

fn boxed(fault: Fault) -> OpenAIError {
    OpenAIError::Boxed(Box::new(fault))
}
